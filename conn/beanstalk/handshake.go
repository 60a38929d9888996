package beanstalk

import (
	"crypto/tls"
	"sync/atomic"
	"syscall"

	"beanfield/conn/secure"
)

// handshake is a handshake that has not been made yet. crypto/tls cannot interrupt one and
// go on with it later, so it has a goroutine of its own, from the client's first bytes on.
// A client that sends nothing, or stops in between, is closed after the option
// HandshakeTimeout.
type handshake struct {
	half    *secure.Half  // set when the loop takes the connection in
	begun   bool          // its goroutine has been started; the loop's
	left    bool          // the connection has been let go; likewise
	woken   chan struct{} // holds a token after an event that nobody has acted on yet
	dropped atomic.Bool   // to be closed, because there are too many
	over    atomic.Bool   // the goroutine must end
	ended   atomic.Bool   // it has

	err     error // of the handshake; the goroutine's until it has ended
	polling bool  // likewise: room in the socket was waited for
}

func newWire(fd int, c *secure.Certificates) *wire {
	return &wire{fd: fd, certs: c, shake: &handshake{woken: make(chan struct{}, 1)}}
}

// shaking says that the handshake has not been made yet. The session has not begun
// either then.
func (c *Conn) shaking() bool { return c.wire != nil && c.wire.shake != nil }

// beginShake waits for the client's first bytes.
func (c *Conn) beginShake() {
	w := c.wire
	w.poll = c.loop.poll
	w.shake.half = w.certs.Begin(func() {
		w.shake.dropped.Store(true)
		c.Notify()
	})
	c.loop.timers.set(c, c.loop.server.router.Now()+int64(c.loop.server.opts.Load().HandshakeTimeout))
}

// shakeOn handles an event of the socket until the handshake has been made.
func (c *Conn) shakeOn(events uint32) {
	c.hungUp = c.hungUp || events&(syscall.EPOLLRDHUP|syscall.EPOLLHUP|syscall.EPOLLERR) != 0
	c.urgent = c.urgent || events&syscall.EPOLLPRI != 0
	s := c.wire.shake
	if !s.begun {
		s.begun = true
		c.loop.server.shaking.Add(1)
		go c.makeShake(s)
		return
	}
	s.wake()
}

func (s *handshake) wake() {
	select {
	case s.woken <- struct{}{}:
	default:
	}
}

// makeShake makes the handshake, on a goroutine of its own.
func (c *Conn) makeShake(s *handshake) {
	w := c.wire
	w.conn = tls.Server(w, w.certs.Config())
	if s.err = s.half.Make(w.conn); s.err == nil {
		w.peer = secure.Identify(w.conn)
	}
	c.loop.server.shaking.Add(-1)
	s.ended.Store(true)
	c.Notify()
}

// await waits for the next event of the socket, without the slot.
func (w *wire) await() error {
	w.shake.half.Pause(func() { <-w.shake.woken })
	if w.shake.over.Load() {
		return errOver
	}
	return nil
}

// pushHandshake sends what the handshake has written, and waits for room if it must.
func (w *wire) pushHandshake() error {
	for len(w.out) > 0 {
		n, err := write(w.fd, w.out)
		switch {
		case err == nil:
			w.out = w.out[n:]
		case err == syscall.EINTR:
		case err != syscall.EAGAIN:
			return err
		default:
			w.shake.polling = true
			w.poll.watchWrites(w.fd, true)
			if err := w.await(); err != nil {
				return err
			}
		}
	}
	w.out = nil
	return nil
}

// shaken is called by the loop when the handshake's goroutine has ended, or when the
// connection has been dropped or closed meanwhile.
func (c *Conn) shaken() {
	s := c.wire.shake
	switch {
	case s.left:
	case !s.ended.Load() && !c.closed:
		if s.dropped.Load() {
			c.close()
		}
	case s.begun && !s.ended.Load():
	case c.closed:
		c.letGo()
	case s.err != nil:
		if secure.Plain(s.err) {
			write(c.fd, []byte("BAD_FORMAT\r\n")) // the client speaks without TLS
		}
		c.close()
		c.letGo()
	default:
		c.loop.timers.remove(c)
		if s.polling {
			c.loop.poll.watchWrites(c.fd, false)
		}
		c.wire.shake = nil
		c.begin()
		c.readable = true // crypto/tls may have read more than the handshake
		c.goOn()
	}
}

// letGo ends a connection whose handshake has not been made, once: drop may still notify it.
func (c *Conn) letGo() {
	s := c.wire.shake
	if s.begun && !s.ended.Load() {
		panic("W1: the handshake's goroutine still uses the socket")
	}
	s.left = true
	c.loop.ended(c)
}

// giveUp ends a handshake that has not been made. Nothing else of the connection has
// begun. shaken lets it go, after one Notify: that of the goroutine if there is one,
// which still uses the socket.
func (c *Conn) giveUp() {
	s := c.wire.shake
	s.over.Store(true)
	s.wake()
	if !s.begun {
		s.half.End()
		c.Notify()
	}
}
