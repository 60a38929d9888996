package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// A server is a process that this program started, and the only kind that it ends. It
// may be started again, on the same data.
type server struct {
	args   []string
	addr   string
	dir    string // of its own, with the data in it; removed at the end
	cmd    *exec.Cmd
	output *tail
	exited chan struct{} // closed when cmd has ended
}

const (
	serverStart = 30 * time.Second
	serverStop  = 10 * time.Second
)

// A launch says how a server is started. In its command, {port} stands for a free
// port, {dir} for an empty directory, {config} for a file that holds config, and {self}
// for this program; it is split at spaces and run as it is, without a shell.
type launch struct {
	command string
	config  string
	cpus    string // pins it, if not empty
	data    string // where {dir} is made; empty: with the system's temporary files
}

// errNotStarted is wrapped by the reason for which a server does not serve.
var errNotStarted = errors.New("the server did not start")

// newServer makes all that a server needs, and does not start it yet.
func newServer(how launch) (*server, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	s := &server{addr: fmt.Sprintf("127.0.0.1:%d", port)}
	if s.dir, err = os.MkdirTemp(how.data, "bench-"); err != nil {
		return nil, err
	}
	// The file lies beside the data: a server may want its directory empty.
	data, config := filepath.Join(s.dir, "data"), filepath.Join(s.dir, "config.toml")
	err = errors.Join(os.Mkdir(data, 0o700), os.WriteFile(config, []byte(how.config), 0o600))
	if err != nil {
		s.stop()
		return nil, err
	}
	fill := strings.NewReplacer("{port}", strconv.Itoa(port), "{dir}", data, "{config}", config, "{self}", self)
	if s.args = strings.Fields(fill.Replace(how.command)); len(s.args) == 0 {
		s.stop()
		return nil, errors.New("the server's command is empty")
	}
	if how.cpus != "" {
		// taskset becomes the server without a fork: the pid stays.
		s.args = append([]string{"taskset", "-c", how.cpus}, s.args...)
	}
	return s, nil
}

// start begins a process and does not wait for anything.
func (s *server) start() error {
	cmd, output, exited := exec.Command(s.args[0], s.args[1:]...), new(tail), make(chan struct{})
	cmd.Stdout, cmd.Stderr = output, output
	// The server must not outlive a bench that is killed.
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %q: %w", strings.Join(s.args, " "), err)
	}
	s.cmd, s.output, s.exited = cmd, output, exited
	go func() {
		cmd.Wait()
		close(exited)
	}()
	return nil
}

// serve starts the server and returns once it accepts connections.
func (s *server) serve(ctx context.Context) error {
	if err := s.start(); err != nil {
		return err
	}
	if err := s.await(ctx); err != nil {
		return fmt.Errorf("%w: %w", errNotStarted, err)
	}
	return nil
}

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

// terminate asks the process to end, and insists after a while. It is an error that it
// had to, or that the server says it failed.
func (s *server) terminate(patience time.Duration) error {
	if s.cmd == nil {
		return nil
	}
	s.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-s.exited:
	case <-time.After(patience):
		s.cmd.Process.Kill()
		<-s.exited
		return fmt.Errorf("%v did not end within %v of SIGTERM", s.cmd.Args, patience)
	}
	if s.cmd.ProcessState.ExitCode() > 0 {
		return fmt.Errorf("%v ended badly (%v): %s", s.cmd.Args, s.cmd.ProcessState, s.output)
	}
	return nil
}

// stop ends the server for good and removes its data. How it ends is of no interest.
func (s *server) stop() {
	_ = s.terminate(serverStop)
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
