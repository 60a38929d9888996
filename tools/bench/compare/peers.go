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
	Name     string `json:"name"`
	Command  string `json:"command"` // {port}, {dir}, {self}: see server.Launch
	Class    string `json:"class"`
	Version  string `json:"version,omitempty"`
	baseline bool   // ratios are to this one
	echo     bool
	logged   bool // the bare loop with a log
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
	nameEcho       = "echo (the floor)"
	nameLogged     = "bare loop with a log"
	nameFork       = "fork"
)

// listen is the address, where a row's configuration has none.
const listen = " -l 127.0.0.1 -p {port}"

// standardPeers are beanfield, beanstalkd and the floors: the echo server and the bare loop
// with a log.
func standardPeers(beanfield, beanstalkd string, floors bool) []peer {
	const (
		always   = " -b {dir} -f 0"
		interval = " -b {dir} -f 50"
	)
	peers := []peer{
		{Name: nameBeanfield, Class: classMemory, Command: beanfield + listen},
		{Name: nameBeanstalkd, Class: classMemory, Command: beanstalkd + listen, baseline: true},
		{Name: nameBeanfield, Class: classAlways, Command: beanfield + listen + always},
		{Name: nameBeanstalkd, Class: classAlways, Command: beanstalkd + listen + always, baseline: true},
		{Name: nameBeanfield, Class: classInterval, Command: beanfield + listen + interval},
		{Name: nameBeanstalkd, Class: classInterval, Command: beanstalkd + listen + interval, baseline: true},
	}
	if floors {
		peers = append(peers,
			peer{Name: nameEcho, Class: classMemory, Command: "{self} echo -p {port}", echo: true},
			peer{Name: nameLogged, Class: classAlways, Command: "{self} logged -p {port} -d {dir}", logged: true})
	}
	return peers
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
	if p.echo {
		return p.floorOf(r)
	}
	if p.Class != class {
		return false
	}
	if p.logged { // it knows nothing but puts and cycles
		return r.awaited || r.load.Kind == load.KindCycle || r.load.Kind == load.KindCycles
	}
	if p.fork { // it may answer pipelined commands in another order
		return r.awaited
	}
	// A row that compares a server with itself does not need the baseline, which would
	// take minutes to get 100,000 tubes or 10 million jobs.
	return !p.baseline || r.own == nil && !r.alone
}

// floorOf tells whether the echo server takes part, which it does where there is a
// goal. It has no queue: it can stand beside plain cycles alone, and beside servers that
// write to a disk only where many commands share a write, and it counts no jobs.
func (p *peer) floorOf(r *row) bool {
	if r.own != nil || len(r.goals) == 0 || r.load.Whole {
		return false
	}
	return r.load.Kind == load.KindCycles || r.load.Kind == load.KindCycle && (r.class == "" || r.class == p.Class)
}

// version asks the program with -v, as beanstalkd has it.
func (p *peer) version(ctx context.Context) string {
	if p.echo || p.logged {
		return ""
	}
	out, err := exec.CommandContext(ctx, strings.Fields(p.Command)[0], "-v").Output()
	line, _, _ := strings.Cut(string(out), "\n")
	if err != nil || len(line) > 60 {
		return ""
	}
	return strings.TrimSpace(line)
}
