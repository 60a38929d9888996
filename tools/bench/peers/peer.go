//go:build linux

package peers

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"beanfield/tools/server"
)

// A Peer is a server as its manual says to run it.
type Peer struct {
	Name string
	// Settings say, for people, what was chosen so that it keeps the promise of Durable.
	Settings string
	Durable  bool // a put is answered when the job is on the disk, and not only in memory

	launch server.Launch // its command begins with the program; {root} is where its package lies
	source source
	beside func(s *server.Launched, root string) []string // a program that it needs beside it
	dial   func(s *server.Launched, worker int) (client, error)
	// consume dials a client to which jobs are pushed, so many at most before they are done; nil: it has none.
	consume func(s *server.Launched, worker, window int) (client, error)
	// await dials a client whose take waits for what is not due yet; nil: dial does.
	await     func(s *server.Launched, worker int) (client, error)
	undelayed bool // it has no delays
}

// A client is a connection to a peer.
type client interface {
	put(bodies [][]byte) error
	// take waits for a job, and takes as many as there are, up to n.
	take(n int) ([][]byte, error)
	done() error // with all that was taken and is not done yet
	count() (int, error)
	close()
}

// A delayer can put jobs that come due after a time.
type delayer interface {
	delay(bodies [][]byte, by time.Duration) error
}

// ErrOut wraps the reason for which a peer is left out of a row.
var ErrOut = errors.New("left out")

// errUnable says that a client cannot do what was asked.
var errUnable = errors.New("it has nothing for this")

// A source tells where a program comes from; all empty: the command is the program's.
type source struct{ pack, program string }

//go:embed debian.sh
var debian string

// find tells where the package of the program lies, which is fetched if that is said, and its version.
func (s source) find(ctx context.Context, fetch bool) (root, version string, err error) {
	if s.pack == "" {
		return "", "", nil
	}
	find := exec.CommandContext(ctx, "sh", "-c", debian, "sh", s.pack, s.program)
	if !fetch {
		find.Args = append(find.Args, "as it is")
	}
	find.Stderr = os.Stderr
	path, err := find.Output()
	if err != nil {
		return "", "", fmt.Errorf("%w: Debian's package %s is not installed and could not be fetched: %w", ErrOut, s.pack,
			err)
	}
	root, version, _ = strings.Cut(strings.TrimSpace(string(path)), "\n")
	return root, version, nil
}

// Version is that of the peer's package; nothing where that is not there, or where the settings have it.
func (p *Peer) Version(ctx context.Context) string {
	_, version, _ := p.source.find(ctx, false)
	return version
}

// from is a command whose program lies in an unpacked package, with its libraries.
func from(root, command string) string {
	if root == "/" {
		return strings.ReplaceAll(command, "{root}", "")
	}
	libraries, _ := filepath.Glob(root + "/usr/lib/*-linux-gnu")
	return fmt.Sprintf("env PATH=%s:%s LD_LIBRARY_PATH=%s %s", filepath.Join(root, "usr/bin"), os.Getenv("PATH"),
		strings.Join(libraries, ":"), strings.ReplaceAll(command, "{root}", root))
}

// A running peer, with what runs beside it.
type running struct {
	*server.Launched
	helper *server.Process
}

// start prepares a peer and, unless it is to be started later, starts it.
func (p *Peer) start(ctx context.Context, cpus, data string) (*running, error) {
	root, _, err := p.source.find(ctx, true)
	if err != nil {
		return nil, err
	}
	how := p.launch
	how.Command, how.CPUs, how.Data = from(root, how.Command), cpus, data
	s, err := how.Prepare()
	if err != nil {
		return nil, err
	}
	r := &running{Launched: s}
	if p.beside != nil {
		command := strings.Fields(from(root, strings.Join(p.beside(s, root), " ")))
		if r.helper, err = server.Start(io.Discard, s.TLS, command...); err != nil {
			r.stop()
			return nil, fmt.Errorf("%w: %w", ErrOut, err)
		}
	}
	if err := s.Serve(ctx); err != nil {
		r.stop()
		return nil, err
	}
	return r, nil
}

func (r *running) stop() {
	r.Kill()
	if r.helper != nil {
		r.helper.End(os.Kill)
	}
}

// All are the peers, beanfield and beanstalkd first, each with both promises.
func All(beanfield, beanstalkd string) []Peer {
	return slices.Concat(beanstalks(beanfield, beanstalkd), redis(), nats(), rabbit())
}
