package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

const (
	dialTimeout = 5 * time.Second
	// readyWithin bounds the wait for a server that was just started.
	readyWithin = 10 * time.Second
	// portTries is how often another port is tried: the server's bind tells
	// whether one is free.
	portTries = 50
)

// server is one process, started and ended here.
type server struct {
	addr   string
	pid    int
	cmd    *exec.Cmd
	exited chan struct{} // closed when the process is gone
	stderr *tail
}

// errStart says that the process does not serve its port; most likely
// somebody else does.
var errStart = errors.New("the server does not serve the port it was given")

// startServer runs command with beanstalkd's flags for address, port and the
// largest job, and returns it with the first connection made to it. That one
// becomes the control connection, so that a server has seen nobody else.
func startServer(ctx context.Context, command []string, maxJob int) (*server, net.Conn, error) {
	var err error
	for range portTries {
		var s *server
		var conn net.Conn
		s, conn, err = tryStart(ctx, command, maxJob)
		if err == nil {
			return s, conn, nil
		}
		if !errors.Is(err, errStart) {
			break
		}
	}
	return nil, nil, fmt.Errorf("start %v: %w", command, err)
}

func tryStart(ctx context.Context, command []string, maxJob int) (*server, net.Conn, error) {
	port := nextPort()
	args := append(command[1:len(command):len(command)],
		"-l", "127.0.0.1", "-p", strconv.Itoa(port), "-z", strconv.Itoa(maxJob))
	s := &server{
		addr:   net.JoinHostPort("127.0.0.1", strconv.Itoa(port)),
		cmd:    exec.Command(command[0], args...),
		exited: make(chan struct{}),
		stderr: &tail{},
	}
	s.cmd.Stderr = s.stderr
	// A group of its own: an interrupt at the terminal reaches this program
	// alone, which then ends its servers in order.
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := s.cmd.Start(); err != nil {
		return nil, nil, err
	}
	s.pid = s.cmd.Process.Pid
	go func() {
		_ = s.cmd.Wait()
		close(s.exited)
	}()
	conn, err := s.ready(ctx)
	if err == nil {
		err = s.identify(conn)
	}
	if err != nil {
		s.stop()
		return nil, nil, fmt.Errorf("%w %s", err, s.stderr)
	}
	return s, conn, nil
}

// ready dials until the server answers, ends, or has had its time.
func (s *server) ready(ctx context.Context) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, readyWithin)
	defer cancel()
	retry := time.NewTicker(2 * time.Millisecond)
	defer retry.Stop()
	for {
		conn, err := net.DialTimeout("tcp", s.addr, dialTimeout)
		if err == nil {
			return conn, nil
		}
		select {
		case <-s.exited:
			return nil, errStart
		case <-ctx.Done():
			return nil, fmt.Errorf("no connection within %v: %w", readyWithin, err)
		case <-retry.C:
		}
	}
}

// askedAtStart is how often a server was asked for stats when it is ready.
const askedAtStart = 1

// identify makes sure that it is the process started that answers, and not
// somebody else on the same port.
func (s *server) identify(conn net.Conn) error {
	_ = conn.SetDeadline(time.Now().Add(readyWithin))
	_, _ = conn.Write([]byte("stats\r\n"))
	raw, _ := readReply(bufio.NewReader(conn))
	if pid, _ := (reply{raw: raw}).value("pid"); pid != strconv.Itoa(s.pid) {
		_ = conn.Close()
		return fmt.Errorf("%w: it is process %d, but %s says %q", errStart, s.pid, s.addr, short(string(raw)))
	}
	return conn.SetDeadline(time.Time{})
}

// stop ends the process and waits for its end.
func (s *server) stop() {
	_ = s.cmd.Process.Kill()
	<-s.exited
}

// signal sends a signal, as an operator would.
func (s *server) signal(sig os.Signal) error { return s.cmd.Process.Signal(sig) }

// running tells whether the process is still there, and if not what it said.
func (s *server) running() error {
	select {
	case <-s.exited:
		return fmt.Errorf("the server ended by itself (%v) %s", s.cmd.ProcessState, s.stderr)
	default:
		return nil
	}
}

// Ports are taken from below those that the kernel gives to outgoing
// connections: dialing a port of that range before anybody listens there can
// end in a connection to itself. No two servers of this program try the same.
const (
	firstPort = 12000
	ports     = 18000
)

var portsTried atomic.Uint32

func nextPort() int {
	n := uint32(os.Getpid()*97) + portsTried.Add(1)
	return firstPort + int(n%ports)
}

// tail keeps the end of what a process writes, for error messages.
type tail struct {
	mu  sync.Mutex
	buf []byte
}

const tailSize = 2000

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, p...)
	if over := len(t.buf) - tailSize; over > 0 {
		t.buf = append(t.buf[:0], t.buf[over:]...)
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(bytes.TrimSpace(t.buf))
}
