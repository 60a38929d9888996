package server

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
	"syscall"
	"time"
)

// A Server is a process that this program started, and the only kind that it ends. It
// may be started again, on the same data.
type Server struct {
	Args   []string
	Addr   string
	dir    string // of its own, with the data in it; removed at the end
	cmd    *exec.Cmd
	output *tail
	Exited chan struct{} // closed when cmd has ended
}

const (
	startWithin = 30 * time.Second
	StopWithin  = 10 * time.Second
)

// A Launch says how a server is started. In its command, {port} stands for a free
// port, {dir} for an empty directory, {config} for a file that holds config, and {self}
// for this program; it is split at spaces and run as it is, without a shell.
type Launch struct {
	Command string
	Config  string
	CPUs    string // pins it, if not empty
	Data    string // where {dir} is made; empty: with the system's temporary files
}

// ErrNotStarted is wrapped by the reason for which a server does not serve.
var ErrNotStarted = errors.New("the server did not start")

// New makes all that a server needs, and does not start it yet.
func New(how Launch) (*Server, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	s := &Server{Addr: fmt.Sprintf("127.0.0.1:%d", port)}
	if s.dir, err = os.MkdirTemp(how.Data, "bench-"); err != nil {
		return nil, err
	}
	// The file lies beside the data: a server may want its directory empty.
	data, config := filepath.Join(s.dir, "data"), filepath.Join(s.dir, "config.toml")
	err = errors.Join(os.Mkdir(data, 0o700), os.WriteFile(config, []byte(how.Config), 0o600))
	if err != nil {
		s.Stop()
		return nil, err
	}
	fill := strings.NewReplacer("{port}", strconv.Itoa(port), "{dir}", data, "{config}", config, "{self}", self)
	if s.Args = strings.Fields(fill.Replace(how.Command)); len(s.Args) == 0 {
		s.Stop()
		return nil, errors.New("the server's command is empty")
	}
	if how.CPUs != "" {
		// taskset becomes the server without a fork: the pid stays.
		s.Args = append([]string{"taskset", "-c", how.CPUs}, s.Args...)
	}
	return s, nil
}

// Start begins a process and does not wait for anything.
func (s *Server) Start() error {
	cmd, output, exited := exec.Command(s.Args[0], s.Args[1:]...), new(tail), make(chan struct{})
	cmd.Stdout, cmd.Stderr = output, output
	// The server must not outlive a bench that is killed.
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %q: %w", strings.Join(s.Args, " "), err)
	}
	s.cmd, s.output, s.Exited = cmd, output, exited
	go func() {
		cmd.Wait()
		close(exited)
	}()
	return nil
}

// Serve starts the server and returns once it accepts connections.
func (s *Server) Serve(ctx context.Context) error {
	if err := s.Start(); err != nil {
		return err
	}
	if err := s.await(ctx); err != nil {
		return fmt.Errorf("%w: %w", ErrNotStarted, err)
	}
	return nil
}

func (s *Server) await(ctx context.Context) error {
	deadline := time.After(startWithin)
	retry := time.NewTicker(5 * time.Millisecond)
	defer retry.Stop()
	for {
		c, err := net.Dial("tcp4", s.Addr)
		if err == nil {
			return c.Close()
		}
		select {
		case <-retry.C:
		case <-ctx.Done():
			return ctx.Err()
		case <-s.Exited:
			return fmt.Errorf("%v ended at once (%v): %s", s.cmd.Args, s.cmd.ProcessState, s.output)
		case <-deadline:
			return fmt.Errorf("%v does not accept connections at %s: %s", s.cmd.Args, s.Addr, s.output)
		}
	}
}

func (s *Server) PID() int { return s.cmd.Process.Pid }

// Died tells whether the server has ended by itself.
func (s *Server) Died() error {
	select {
	case <-s.Exited:
		return fmt.Errorf("the server ended during the run (%v): %s", s.cmd.ProcessState, s.output)
	default:
		return nil
	}
}

// Terminate asks the process to end, and insists after a while. It is an error that it
// had to, or that the server says it failed.
func (s *Server) Terminate(patience time.Duration) error {
	if s.cmd == nil {
		return nil
	}
	s.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-s.Exited:
	case <-time.After(patience):
		s.cmd.Process.Kill()
		<-s.Exited
		return fmt.Errorf("%v did not end within %v of SIGTERM", s.cmd.Args, patience)
	}
	if s.cmd.ProcessState.ExitCode() > 0 {
		return fmt.Errorf("%v ended badly (%v): %s", s.cmd.Args, s.cmd.ProcessState, s.output)
	}
	return nil
}

// Stop ends the server for good and removes its data. How it ends is of no interest.
func (s *Server) Stop() {
	_ = s.Terminate(StopWithin)
	os.RemoveAll(s.dir)
}
