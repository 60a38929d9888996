package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// A server is a process that this program started, and the only kind that it ends.
type server struct {
	cmd    *exec.Cmd
	addr   string
	dir    string // for its data; removed at the end
	output *tail
	exited chan struct{}
}

const (
	serverStart = 30 * time.Second
	serverStop  = 10 * time.Second
)

// A launch says how a server is started. In its command, {port} stands for a
// free port, {dir} for an empty directory and {self} for this program; it is split at
// spaces and run as it is, without a shell.
type launch struct {
	command string
	cpus    string // pins it, if not empty
	data    string // where {dir} is made; empty: with the system's temporary files
}

// errNotStarted is wrapped by the reason for which a server does not serve.
var errNotStarted = errors.New("the server did not start")

// startServer returns once the server accepts connections.
func startServer(ctx context.Context, how launch) (*server, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(how.data, "bench-")
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	fill := strings.NewReplacer("{port}", strconv.Itoa(port), "{dir}", dir, "{self}", self)
	args := strings.Fields(fill.Replace(how.command))
	if len(args) == 0 {
		return nil, errors.New("the server's command is empty")
	}
	if how.cpus != "" {
		// taskset becomes the server without a fork: the pid stays.
		args = append([]string{"taskset", "-c", how.cpus}, args...)
	}
	s := &server{
		cmd: exec.Command(args[0], args[1:]...), addr: fmt.Sprintf("127.0.0.1:%d", port),
		dir: dir, output: new(tail), exited: make(chan struct{}),
	}
	s.cmd.Stdout, s.cmd.Stderr = s.output, s.output
	// The server must not outlive a bench that is killed.
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := s.cmd.Start(); err != nil {
		os.RemoveAll(dir)
		return nil, fmt.Errorf("start %q: %w", how.command, err)
	}
	go func() {
		s.cmd.Wait()
		close(s.exited)
	}()
	if err := s.await(ctx); err != nil {
		s.stop()
		return nil, fmt.Errorf("%w: %w", errNotStarted, err)
	}
	return s, nil
}

// await returns once the server accepts connections.
func (s *server) await(ctx context.Context) error {
	deadline := time.After(serverStart)
	retry := time.NewTicker(5 * time.Millisecond)
	defer retry.Stop()
	for {
		c, err := net.Dial("tcp4", s.addr)
		if err == nil {
			return c.Close()
		}
		select {
		case <-retry.C:
		case <-ctx.Done():
			return ctx.Err()
		case <-s.exited:
			return fmt.Errorf("%v ended at once (%v): %s", s.cmd.Args, s.cmd.ProcessState, s.output)
		case <-deadline:
			return fmt.Errorf("%v does not accept connections at %s: %s", s.cmd.Args, s.addr, s.output)
		}
	}
}

func (s *server) pid() int { return s.cmd.Process.Pid }

// died tells whether the server has ended by itself.
func (s *server) died() error {
	select {
	case <-s.exited:
		return fmt.Errorf("the server ended during the run (%v): %s", s.cmd.ProcessState, s.output)
	default:
		return nil
	}
}

// stop asks the server to end, insists after a while, and removes its data.
func (s *server) stop() {
	s.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-s.exited:
	case <-time.After(serverStop):
		s.cmd.Process.Kill()
		<-s.exited
	}
	os.RemoveAll(s.dir)
}

// A tail keeps the end of what a server prints, to be shown if it fails.
type tail struct {
	mu   sync.Mutex
	text []byte
}

const tailSize = 4 << 10

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, b...)
	if over := len(t.text) - tailSize; over > 0 {
		t.text = append(t.text[:0], t.text[over:]...)
	}
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(t.text))
}
