package socket

import (
	"crypto/tls"
	"sync/atomic"
	"syscall"

	"beanfield/conn/secure"
)

// handshake is a handshake that has not been made yet. crypto/tls cannot interrupt one and
// go on with it later, so it has a goroutine of its own, from the client's first bytes on.
type handshake struct {
	half    *secure.Half  // set when the loop takes the connection in
	begun   bool          // its goroutine has been started; the loop's
	left    bool          // the connection has been let go; likewise
	woken   chan struct{} // holds a token after an event that nobody has acted on yet
	dropped atomic.Bool   // to be closed, because there are too many
	over    atomic.Bool   // the goroutine must end
	ended   atomic.Bool   // it has

	err error // of the handshake; the goroutine's until it has ended
}

// NewTLS makes the TLS of a socket, whose handshake is still to be made.
func NewTLS(fd int, c *secure.Certificates) *TLS {
	return &TLS{fd: fd, certs: c, shake: &handshake{woken: make(chan struct{}, 1)}}
}

// Shaking says that the handshake has not been made yet.
func (w *TLS) Shaking() bool { return w.shake != nil }

// Begin waits for the client's first bytes. When there are too many handshakes, drop is called,
// by any goroutine, and Shaken says so.
func (w *TLS) Begin(p *Poller, drop func()) {
	s := w.shake
	w.poll = p
	s.half = w.certs.Begin(func() {
		s.dropped.Store(true)
		drop()
	})
}

// Stir tells the handshake of an event of the socket. It reports true for the first one: then
// the caller has a goroutine call Shake.
func (w *TLS) Stir() bool {
	s := w.shake
	if !s.begun {
		s.begun = true
		return true
	}
	s.wake()
	return false
}

func (s *handshake) wake() {
	select {
	case s.woken <- struct{}{}:
	default:
	}
}

// Shake makes the handshake, on a goroutine of its own, and calls done before Shaken can tell
// how it has ended.
func (w *TLS) Shake(done func()) {
	s := w.shake
	w.conn = tls.Server(w, w.certs.Config())
	if s.err = s.half.Make(w.conn); s.err == nil {
		w.peer = secure.Identify(w.conn)
	}
	done()
	s.ended.Store(true)
}

// await waits for the next event of the socket, without the slot.
func (w *TLS) await() error {
	w.shake.half.Pause(func() { <-w.shake.woken })
	if w.shake.over.Load() {
		return errOver
	}
	return nil
}

// pushHandshake sends what the handshake has written, and waits for room if it must.
func (w *TLS) pushHandshake() error {
	polling := false
	for len(w.out) > 0 {
		n, err := Write(w.fd, w.out)
		switch {
		case err == nil:
			w.out = w.out[n:]
		case err == syscall.EINTR:
		case err != syscall.EAGAIN:
			return err
		default:
			polling = true
			w.poll.WatchWrites(w.fd, true)
			if err := w.await(); err != nil {
				return err
			}
		}
	}
	w.out = nil
	if polling {
		w.poll.WatchWrites(w.fd, false)
	}
	return nil
}

// Outcome is how far a handshake has come.
type Outcome uint8

const (
	Going   Outcome = iota
	Dropped         // the connection is to be closed: there are too many handshakes
	Failed          // nothing uses the socket any more; said once
	Over            // likewise, of a connection that was closed
	Made
)

// Shaken says how far the handshake is. The caller says whether it has closed the connection.
func (w *TLS) Shaken(closed bool) (Outcome, error) {
	s := w.shake
	switch {
	case s.left:
	case !s.ended.Load() && !closed:
		if s.dropped.Load() {
			return Dropped, nil
		}
	case s.begun && !s.ended.Load():
	case closed:
		s.left = true // a late drop may still call
		return Over, nil
	case s.err != nil:
		s.left = true
		return Failed, s.err
	default:
		w.shake = nil
		dropMessages(w.conn)
		return Made, nil
	}
	return Going, nil
}

// GiveUp ends a handshake that has not been made. It reports false if there is a goroutine,
// which still uses the socket.
func (w *TLS) GiveUp() bool {
	s := w.shake
	s.over.Store(true)
	s.wake()
	if s.begun {
		return false
	}
	s.half.End()
	return true
}
