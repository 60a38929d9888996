package nodes

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"beanfield/conn/beanstalk/client"
	"beanfield/tools/server"
)

// A Node is one server of a cluster: its addresses, its directory, and its process, if it runs.
type Node struct {
	Name   string
	Client string // where clients connect
	Engine string // where its engine really listens
	At     string // where the other nodes find it
	HTTP   string
	TLS    string // where clients with TLS connect, in a cluster that has it
	Queue  string // likewise those of the queue service
	Dir    string // of all its files
	Out    bool   // it is none of the cluster's now

	of     Options
	binary string
	log    *os.File
	mu     sync.Mutex
	now    *server.Process // nil: it does not run
	paused bool
	up     atomic.Int64
	known  sync.Mutex // is held for a moment only
	pids   []int      // of all its processes so far
}

// ErrRunning says that something can be done only to a node that does not run.
var ErrRunning = errors.New("the node runs")

const (
	// answerWithin bounds the wait for a node that accepts connections, and may be stopped.
	answerWithin = time.Second
	// pace is how often a node is asked that does not answer yet.
	pace = 20 * time.Millisecond
	// stopWithin is how long a node may take to hand over and end.
	stopWithin = 20 * time.Second
)

func pause() <-chan time.Time { return time.After(pace) }

// Data is its storage.path.
func (n *Node) Data() string { return filepath.Join(n.Dir, "data") }

// Log is the file with all that it has printed.
func (n *Node) Log() string { return filepath.Join(n.Dir, "log") }

func (n *Node) config() string { return filepath.Join(n.Dir, "config.toml") }

// Start begins a process for the node, and does not wait for anything.
func (n *Node) Start() (err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.now != nil && n.now.Died() == nil {
		return ErrRunning
	}
	n.paused = false
	if n.now, err = server.Start(n.log, n.Client, n.Command()...); err == nil {
		n.known.Lock()
		n.pids = append(n.pids, n.now.PID())
		n.known.Unlock()
		n.up.Store(int64(n.now.PID()))
	}
	return err
}

// Command is how its process is started.
func (n *Node) Command() []string {
	command := []string{n.binary, "-config", n.config()}
	if n.of.Queue {
		command = append(command, "-queue", n.Queue)
	}
	return append(command, n.of.Flags...)
}

// process is the one that was started last and not ended here.
func (n *Node) process() *server.Process {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.now
}

// Running tells whether its process lives, paused or not.
func (n *Node) Running() bool {
	p := n.process()
	return p != nil && p.Died() == nil
}

// Up is the number of its process, 0 if that is not there, is paused, or is told to end. It waits for nothing.
func (n *Node) Up() int64 { return n.up.Load() }

// Ended is an error if its process has ended by itself.
func (n *Node) Ended() error {
	if p := n.process(); p != nil {
		return p.Died()
	}
	return nil
}

// PID is its process's number; 0 if it has none.
func (n *Node) PID() int {
	if p := n.process(); p != nil {
		return p.PID()
	}
	return 0
}

// Kill ends the process with SIGKILL, and waits for that.
func (n *Node) Kill() {
	n.up.Store(0)
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.now != nil {
		n.now.End(syscall.SIGKILL)
		n.now, n.paused = nil, false
	}
}

// Pause stops the process as it stands, until Resume. It returns when all threads have stopped: the signal
// alone may take a while to reach them.
func (n *Node) Pause() error {
	if err := n.hold(true, syscall.SIGSTOP); err != nil {
		return err
	}
	for n.Running() && !stopped(n.PID()) {
		<-pause()
	}
	return nil
}

// stopped tells whether no thread of a process runs.
func stopped(pid int) bool {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", pid))
	for _, name := range threads {
		text, err := os.ReadFile(name)
		if err == nil && !bytes.Contains(text, []byte("\nState:\tT")) {
			return false
		}
	}
	return true
}

// Resume lets a process that was paused go on.
func (n *Node) Resume() error { return n.hold(false, syscall.SIGCONT) }

func (n *Node) hold(paused bool, sig os.Signal) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.now == nil {
		return fmt.Errorf("node %s does not run", n.Name)
	}
	n.paused = paused
	n.up.Store(0)
	if !paused {
		n.up.Store(int64(n.now.PID()))
	}
	return n.now.Signal(sig)
}

// quitWithin is how long a node may take to print its goroutines.
const quitWithin = 5 * time.Second

// Quit has the process print what all its goroutines do, and end.
func (n *Node) Quit() error {
	p := n.process()
	if err := p.Signal(syscall.SIGQUIT); err != nil {
		return err
	}
	select {
	case <-p.Exited():
		return nil
	case <-time.After(quitWithin):
		return fmt.Errorf("node %s does not end", n.Name)
	}
}

// Paused tells whether it was paused.
func (n *Node) Paused() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.paused
}

// Stop ends the process with SIGTERM. It is an error that it ends badly, or has to be killed.
func (n *Node) Stop() error {
	n.up.Store(0)
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.now == nil {
		return nil
	}
	if n.paused {
		_ = n.now.Signal(syscall.SIGCONT)
	}
	err := n.now.Terminate(stopWithin)
	n.now, n.paused = nil, false
	if err != nil {
		return fmt.Errorf("node %s: %w", n.Name, err)
	}
	return nil
}

// Restart stops the process in order and starts another one.
func (n *Node) Restart() error { return errors.Join(n.Stop(), n.Start()) }

// Lose removes all that the node has on its disk. The node must not run.
func (n *Node) Lose() error {
	if n.Running() {
		return ErrRunning
	}
	return errors.Join(os.RemoveAll(n.Data()), os.Mkdir(n.Data(), 0o700))
}

// LimitFiles has every write fail that would make a file longer than that; 0 ends it.
func (n *Node) LimitFiles(size uint64) error {
	limit := fmt.Sprintf("--fsize=%d:", size)
	if size == 0 {
		limit = "--fsize=unlimited:"
	}
	out, err := exec.Command("prlimit", "--pid", fmt.Sprint(n.PID()), limit).CombinedOutput()
	if err != nil {
		return fmt.Errorf("prlimit: %w: %s", err, out)
	}
	return nil
}

// Dial connects to the node as a client, and makes sure that it answers: the kernel accepts
// connections for a process that is stopped, too.
func (n *Node) Dial(ctx context.Context, limit time.Duration) (*client.Client, error) {
	return Dial(ctx, n.Client, answerWithin, limit)
}

// Dial is Node.Dial for an address, with a limit of its own for the first answer.
func Dial(ctx context.Context, addr string, first, limit time.Duration) (*client.Client, error) {
	d := net.Dialer{Timeout: first}
	conn, err := d.DialContext(ctx, "tcp4", addr)
	if err != nil {
		return nil, err
	}
	_ = conn.SetDeadline(time.Now().Add(first))
	if _, err := client.On(conn, addr, first).Ask("use default"); err != nil {
		reset(conn)
		return nil, err
	}
	_ = conn.SetDeadline(time.Time{})
	return client.On(conn, addr, limit), nil
}

// Serves tells whether clients are served by the node itself now, and not by another to which it passes them on.
func (n *Node) Serves(ctx context.Context) bool {
	c, err := n.Dial(ctx, answerWithin)
	if err != nil {
		return false
	}
	defer c.HangUp()
	pid, err := Server(c)
	return err == nil && pid == n.PID()
}

// Server is the number of the process that serves a client.
func Server(c *client.Client) (pid int, err error) {
	stats, err := c.Stats("stats")
	if err != nil {
		return 0, err
	}
	return int(stats.Number("pid")), nil
}
