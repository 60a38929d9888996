//go:build linux

package compare

import (
	"cmp"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"

	"beanfield/tools/bench/peers"
)

// A peer is a server that takes part in a comparison.
type peer struct {
	Name     string
	Command  string // {port}, {dir}, {self}: see server.Launch
	Class    string
	ours     bool        // beanfield, which gets a row's flags
	baseline bool        // ratios are to this one
	bare     bool        // the bare loop
	other    *peers.Peer // measured by package peers, with its command and settings
}

// The classes of peers: a row compares only servers that promise the same. That of "" writes nothing.
const (
	always   = "always"   // a reply comes after the fsync
	interval = "interval" // fsync every 50 ms
)

const (
	beanfield  = "beanfield"
	beanstalkd = "beanstalkd"
	bareLoop   = "bare loop"
	loggedLoop = "bare loop with a log"
)

// bareCommand is the floor, in memory: this program.
const bareCommand = "{self} bare -p {port}"

// listen is the address, where a row's configuration has none.
const listen = " -l 127.0.0.1 -p {port}"

// standardPeers are two servers of each class, one of them the baseline, and the floors: the bare loop, in memory and
// with a log.
func standardPeers(one, base peer) (all []peer) {
	for _, class := range [][2]string{{"", ""}, {always, " -b {dir} -f 0"}, {interval, " -b {dir} -f 50"}} {
		for _, p := range []peer{one, base} {
			p.Class = class[0]
			p.Command += listen + class[1]
			all = append(all, p)
		}
	}
	return append(all, peer{Name: bareLoop, Command: bareCommand, bare: true},
		peer{Name: loggedLoop, Class: always, Command: bareCommand + " -d {dir}", bare: true})
}

// allPeers are beanfield, which is the baseline, and the other queue servers.
func allPeers(ours, theirs string) (all []peer) {
	for _, p := range peers.All(ours, theirs) {
		class := ""
		if p.Durable {
			class = always
		}
		first := p.Name == beanfield
		all = append(all, peer{Name: p.Name, Class: class, ours: first, baseline: first, other: &p})
	}
	return all
}

// shown is the command without the place of its program on this machine, and what the program says of its version,
// with -v as beanstalkd has it.
func (p *peer) shown(ctx context.Context) string {
	if p.other != nil {
		return fmt.Sprintf("%s (%s): %s", strings.TrimSpace(p.Name+" "+p.other.Version(ctx)), cmp.Or(p.Class, "memory"),
			p.other.Settings)
	}
	program, rest, _ := strings.Cut(p.Command, " ")
	text := fmt.Sprintf("%s (%s): `%s %s`", p.Name, cmp.Or(p.Class, "memory"), filepath.Base(program), rest)
	if p.bare {
		return text
	}
	out, _ := exec.CommandContext(ctx, program, "-v").Output()
	version, _, _ := strings.Cut(string(out), "\n")
	return strings.TrimSuffix(text+", "+strings.TrimSpace(version), ", ")
}

// inRow tells whether a peer takes part in a row. One that compares a server with itself does not need the baseline,
// which would take minutes to get 100,000 tubes or 10 million jobs.
func (p *peer) inRow(r *row) bool {
	takes := p.other != nil || p.ours || p.bare && r.Bare || p.baseline && r.Own == nil && !r.Alone
	return p.Class == r.Class && takes
}
