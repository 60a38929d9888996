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
	"unsafe"
)

// A Side is a connection of code that is written as if it waited, though the socket
// never blocks. A Turn says what happens meanwhile.
type Side struct {
	asConn
	fd    int
	piece int // what is sent or read at most before others have their turn
	turn  *Turn
	early []byte // what came while a write had to wait
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
	c, err := Dial(addr)
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
		if n := copy(b, s.early); n > 0 {
			s.early = s.early[n:]
			return n, nil
		}
		n, err := s.read(b)
		if n > 0 || err != nil {
			return n, errors.Join(err, s.turn.Pass(true))
		}
		if err := s.turn.wait(s.fd, pollIn); err != nil {
			return 0, err
		}
	}
}

// read gives nothing where nothing has come.
func (s *Side) read(b []byte) (int, error) {
	n, e := Read(s.fd, b[:min(len(b), s.piece)])
	switch {
	case e == syscall.EAGAIN || e == syscall.EINTR:
		return 0, nil
	case e != 0:
		return 0, fmt.Errorf("read: %w", e)
	case n == 0:
		return 0, io.EOF
	}
	return n, nil
}

// Write sends all of b. It reads what comes meanwhile: a server that cannot get rid of its
// replies may take nothing more.
func (s *Side) Write(b []byte) (done int, err error) {
	for done < len(b) {
		n, e := Write(s.fd, b[done:min(len(b), done+s.piece)])
		if e == 0 {
			done += n
			err = s.turn.Pass(true)
		} else if e == syscall.EAGAIN || e == syscall.EINTR {
			err = s.readEarly()
		} else {
			err = fmt.Errorf("write: %w", e)
		}
		if err != nil {
			return done, err
		}
	}
	return done, nil
}

func (s *Side) readEarly() error {
	piece := make([]byte, s.piece)
	n, err := s.read(piece)
	if n == 0 && err == nil {
		return s.turn.wait(s.fd, pollIn|pollOut)
	}
	s.early = append(s.early, piece[:n]...)
	return errors.Join(err, s.turn.Pass(true))
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

const (
	pollIn  = 1
	pollOut = 4
	// longestPoll bounds a wait, so that the end of the context is noticed.
	longestPoll = 10 * time.Millisecond
)

// wait waits until a socket can be read or written, or for a moment.
func (t *Turn) wait(fd int, events int16) error {
	if t.yield == nil {
		poll := struct {
			fd              int32
			events, revents int16
		}{int32(fd), events, 0}
		ts := syscall.NsecToTimespec(int64(longestPoll))
		_, _, e := syscall.Syscall6(syscall.SYS_PPOLL, uintptr(unsafe.Pointer(&poll)), 1, uintptr(unsafe.Pointer(&ts)),
			0, 0, 0)
		if e != 0 && e != syscall.EINTR {
			return fmt.Errorf("poll: %w", e)
		}
	}
	return t.Pass(false)
}
