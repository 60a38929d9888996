package compare

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"

	"beanfield/tools/bench/load"
)

// A peer is a server that takes part in a comparison.
type peer struct {
	Name     string
	Command  string // {port}, {dir}, {self}: see server.Launch
	Class    string
	Version  string
	baseline bool // ratios are to this one
	bare     bool // the bare loop
	fork     bool // another server like beanstalkd
}

// The classes of peers: a row compares only servers that promise the same.
const (
	classMemory   = "memory"   // nothing is written
	classAlways   = "always"   // a reply comes after the fsync
	classInterval = "interval" // fsync every 50 ms
)

const (
	nameBeanfield  = "beanfield"
	nameBeanstalkd = "beanstalkd"
	nameBare       = "bare loop"
	nameLogged     = "bare loop with a log"
	nameFork       = "fork"
)

// bareCommand is the floor, in memory: this program.
const bareCommand = "{self} bare -p {port}"

// listen is the address, where a row's configuration has none.
const listen = " -l 127.0.0.1 -p {port}"

// standardPeers are beanfield, beanstalkd and the floors: the bare loop, in memory and with a log.
func standardPeers(beanfield, beanstalkd string) []peer {
	const (
		always   = " -b {dir} -f 0"
		interval = " -b {dir} -f 50"
	)
	return []peer{
		{Name: nameBeanfield, Class: classMemory, Command: beanfield + listen},
		{Name: nameBeanstalkd, Class: classMemory, Command: beanstalkd + listen, baseline: true},
		{Name: nameBeanfield, Class: classAlways, Command: beanfield + listen + always},
		{Name: nameBeanstalkd, Class: classAlways, Command: beanstalkd + listen + always, baseline: true},
		{Name: nameBeanfield, Class: classInterval, Command: beanfield + listen + interval},
		{Name: nameBeanstalkd, Class: classInterval, Command: beanstalkd + listen + interval, baseline: true},
		{Name: nameBare, Class: classMemory, Command: bareCommand, bare: true},
		{Name: nameLogged, Class: classAlways, Command: bareCommand + " -d {dir}", bare: true},
	}
}

// forkPeers are a beanstalkd that syncs once for all commands that are ready.
func forkPeers(program string) []peer {
	return []peer{
		{Name: nameFork, Class: classMemory, Command: program + listen, fork: true},
		{Name: nameFork, Class: classAlways, Command: program + listen + " -b {dir} -f 0 -D", fork: true},
	}
}

// parsePeer reads name=command or name@class=command.
func parsePeer(s string) (peer, error) {
	name, command, ok := strings.Cut(s, "=")
	name, class, classed := strings.Cut(name, "@")
	if !classed {
		class = classMemory
	}
	if !ok || name == "" || command == "" {
		return peer{}, fmt.Errorf("peer %q: want name=command or name@class=command", s)
	}
	if class != classMemory && class != classAlways && class != classInterval {
		return peer{}, fmt.Errorf("peer %q: a class is memory, always or interval", s)
	}
	return peer{Name: name, Class: class, Command: command}, nil
}

// shown is the command without the place of its program on this machine.
func (p *peer) shown() string {
	program, rest, _ := strings.Cut(p.Command, " ")
	return filepath.Base(program) + " " + rest
}

// inRow tells whether a peer takes part in a row.
func (p *peer) inRow(r *row) bool {
	class := r.class
	if class == "" {
		class = classMemory
	}
	if p.Class != class {
		return false
	}
	if p.bare { // it knows nothing but puts and cycles
		known := r.awaited || r.load.Kind == load.KindCycle || r.load.Kind == load.KindCycles
		return known && r.own == nil && (len(r.goals) > 0 || class == classAlways)
	}
	if p.fork { // it may answer pipelined commands in another order
		return r.awaited
	}
	// A row that compares a server with itself does not need the baseline, which would
	// take minutes to get 100,000 tubes or 10 million jobs.
	return !p.baseline || r.own == nil && !r.alone
}

// version asks the program with -v, as beanstalkd has it.
func (p *peer) version(ctx context.Context) string {
	if p.bare {
		return ""
	}
	out, err := exec.CommandContext(ctx, strings.Fields(p.Command)[0], "-v").Output()
	line, _, _ := strings.Cut(string(out), "\n")
	if err != nil || len(line) > 60 {
		return ""
	}
	return strings.TrimSpace(line)
}
