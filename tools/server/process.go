package server

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// A Process is a server that this program started, and the only kind that it ends.
type Process struct {
	Addr   string
	cmd    *exec.Cmd
	said   *tail
	exited chan struct{} // closed when the process has ended
}

// Start begins a process that is to serve addr, and does not wait for anything. All that it prints goes to log.
func Start(log io.Writer, addr string, command ...string) (*Process, error) {
	p := &Process{Addr: addr, cmd: exec.Command(command[0], command[1:]...), said: new(tail),
		exited: make(chan struct{})}
	out := io.MultiWriter(p.said, log)
	p.cmd.Stdout, p.cmd.Stderr = out, out
	// An interrupt at the terminal reaches this program alone, which then ends its
	// servers in order.
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	DieWithUs(p.cmd.SysProcAttr, syscall.SIGKILL)
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %q: %w", strings.Join(command, " "), err)
	}
	go func() {
		_ = p.cmd.Wait() // how it ended stands in its ProcessState
		close(p.exited)
	}()
	return p, nil
}

// PID is the process's number.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Said is the end of what the process has printed.
func (p *Process) Said() string { return p.said.String() }

// Exited is closed when the process has ended.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// Died is an error if the process has ended.
func (p *Process) Died() error {
	select {
	case <-p.exited:
		return fmt.Errorf("the server ended by itself (%v): %s", p.cmd.ProcessState, p.said)
	default:
		return nil
	}
}

// Signal sends a signal, as an operator would.
func (p *Process) Signal(sig os.Signal) error { return p.cmd.Process.Signal(sig) }

// End sends a signal that ends the process, and waits for that. It does no harm to a
// process that has ended.
func (p *Process) End(sig os.Signal) {
	_ = p.cmd.Process.Signal(sig)
	<-p.exited
}

// Terminate asks the process to end, and kills it if it does not. It is an error that it
// had to be killed, or that it reports a failure.
func (p *Process) Terminate(patience time.Duration) error {
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.exited:
	case <-time.After(patience):
		p.End(syscall.SIGKILL)
		return fmt.Errorf("%v did not end within %v of SIGTERM", p.cmd.Args, patience)
	}
	if p.cmd.ProcessState.ExitCode() > 0 {
		return fmt.Errorf("%v ended badly (%v): %s", p.cmd.Args, p.cmd.ProcessState, p.said)
	}
	return nil
}
