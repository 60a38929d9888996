//go:build linux

package socket

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A Side is a connection of code that is written as if it waited, though the socket
// never blocks. A Turn says what happens meanwhile.
type Side struct {
	asConn
	fd    int
	piece int // what is sent or read at most before others have their turn
	turn  *Turn
}

// asConn makes a net.Conn of what reads, writes and closes. Its waits end otherwise.
type asConn struct{}

func (asConn) LocalAddr() net.Addr              { return nil }
func (asConn) RemoteAddr() net.Addr             { return nil }
func (asConn) SetDeadline(time.Time) error      { return nil }
func (asConn) SetReadDeadline(time.Time) error  { return nil }
func (asConn) SetWriteDeadline(time.Time) error { return nil }

// DialSide connects.
func DialSide(addr string, turn *Turn, piece int) (*Side, error) {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	fd, err := Raw(c)
	if err != nil {
		return nil, err
	}
	return &Side{fd: fd, piece: piece, turn: turn}, nil
}

// Close may be called again, and of a side that was never made.
func (s *Side) Close() error {
	if s == nil || s.fd < 0 {
		return nil
	}
	defer func() { s.fd = -1 }()
	return syscall.Close(s.fd)
}

func (s *Side) Read(b []byte) (int, error) {
	for {
		n, e := Read(s.fd, b[:min(len(b), s.piece)])
		switch {
		case n > 0:
			return n, s.turn.Pass(true)
		case e == 0:
			return 0, io.EOF
		case e != syscall.EAGAIN && e != syscall.EINTR:
			return 0, fmt.Errorf("read: %w", e)
		}
		if err := s.turn.wait(s.fd, unix.POLLIN); err != nil {
			return 0, err
		}
	}
}

// Write sends all of b. Whoever writes bounds the replies that are under way: a server that cannot get rid of them may
// take nothing more.
func (s *Side) Write(b []byte) (done int, err error) {
	for done < len(b) {
		n, e := Write(s.fd, b[done:min(len(b), done+s.piece)])
		switch e {
		case 0:
			done += n
			err = s.turn.Pass(true)
		case syscall.EAGAIN, syscall.EINTR:
			err = s.turn.wait(s.fd, unix.POLLOUT)
		default:
			err = fmt.Errorf("write: %w", e)
		}
		if err != nil {
			return done, err
		}
	}
	return done, nil
}

// A Turn lets code that seems to wait be driven in steps (Steps), so that its caller does
// other things between them. Before that, waiting is waiting.
type Turn struct {
	Context context.Context
	yield   func(worked bool) bool
	left    bool // yield must not be called any more
}

// errLeft ends code that is not driven any more.
var errLeft = errors.New("left before it was over")

// Steps returns what drives run. next goes on until run has done something, or has to wait,
// and tells which; more is false when run has returned, and then err is what it returned. The
// steps are coroutines: no other goroutine takes the caller's processor.
func (t *Turn) Steps(run func() error) (next func() (worked, more bool, err error), stop func()) {
	var failed error
	step, end := iter.Pull(func(yield func(bool) bool) {
		t.yield = yield
		failed = run()
	})
	next = func() (bool, bool, error) {
		worked, more := step()
		return worked, more, failed
	}
	return next, func() { end(); t.yield, t.left = nil, false }
}

// Pass lets others have their turn. worked says whether there was anything to do.
func (t *Turn) Pass(worked bool) error {
	if t.yield == nil {
		return t.Context.Err()
	}
	if t.left = t.left || !t.yield(worked); t.left {
		return errLeft
	}
	return nil
}

// Sleep waits for so long.
func (t *Turn) Sleep(d time.Duration) error {
	for end := time.Now().Add(d); ; {
		left := time.Until(end)
		if left <= 0 {
			return nil
		}
		if err := t.wait(-1, 0); err != nil {
			return err
		}
	}
}

// longestPoll bounds a wait, so that the end of the context is noticed: milliseconds.
const longestPoll = 10

// wait waits until a socket can be read or written, or for a moment.
func (t *Turn) wait(fd int, events int16) error {
	if t.yield == nil {
		_, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: events}}, longestPoll)
		if err != nil && err != unix.EINTR {
			return fmt.Errorf("poll: %w", err)
		}
	}
	return t.Pass(false)
}
