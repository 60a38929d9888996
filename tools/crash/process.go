package main

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// readyWithin bounds the wait for a server that was just started.
const readyWithin = 20 * time.Second

// process is a server that was started here.
type process struct {
	addr   string
	cmd    *exec.Cmd
	exited chan struct{}
	said   *tail
}

// startProcess runs a command on a free port of 127.0.0.1. Whether the port was
// free the server's bind tells: if it ends at once, another is tried.
func startProcess(command ...string) (*process, error) {
	var err error
	for range 20 {
		var p *process
		if p, err = tryStart(command); err == nil {
			return p, nil
		}
	}
	return nil, fmt.Errorf("start %v: %w", command, err)
}

func tryStart(command []string) (*process, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	addr := l.Addr().(*net.TCPAddr)
	_ = l.Close()
	args := append(command[1:len(command):len(command)], "-l", "127.0.0.1", "-p", strconv.Itoa(addr.Port))
	p := &process{addr: addr.String(), cmd: exec.Command(command[0], args...), exited: make(chan struct{}), said: &tail{}}
	p.cmd.Stderr = p.said
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		_ = p.cmd.Wait()
		close(p.exited)
	}()
	if err := p.ready(); err != nil {
		p.end(syscall.SIGKILL)
		return nil, fmt.Errorf("%w; it said: %s", err, p.said)
	}
	return p, nil
}

// ready waits until the process answers for itself.
func (p *process) ready() error {
	late := time.NewTimer(readyWithin)
	defer late.Stop()
	retry := time.NewTicker(2 * time.Millisecond)
	defer retry.Stop()
	for {
		if c, err := dial(p.addr); err == nil {
			defer c.close()
			r, err := c.ask("stats")
			if err == nil && r[0].number("pid") != int64(p.cmd.Process.Pid) {
				err = fmt.Errorf("another process answers on %s", p.addr)
			}
			return err
		}
		select {
		case <-p.exited:
			return fmt.Errorf("it ended: %v", p.cmd.ProcessState)
		case <-late.C:
			return fmt.Errorf("no answer within %v", readyWithin)
		case <-retry.C:
		}
	}
}

// end sends a signal and waits for the end.
func (p *process) end(sig os.Signal) {
	_ = p.cmd.Process.Signal(sig)
	<-p.exited
}

// alive says whether it still runs.
func (p *process) alive() bool {
	select {
	case <-p.exited:
		return false
	default:
		return true
	}
}

// tail keeps the end of what a process says.
type tail struct {
	mu   sync.Mutex
	text []byte
}

// Write implements io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	t.text = t.text[max(0, len(t.text)-4000):]
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(bytes.TrimSpace(t.text))
}
