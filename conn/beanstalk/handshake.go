package beanstalk

import (
	"syscall"

	"beanfield/conn/beanstalk/socket"
	"beanfield/conn/secure"
)

// A client that sends nothing during its handshake, or stops in between, is closed after the
// option HandshakeTimeout.

// shaking says that the handshake has not been made yet. The session has not begun
// either then.
func (c *Conn) shaking() bool { return c.tls != nil && c.tls.Shaking() }

// beginShake waits for the client's first bytes.
func (c *Conn) beginShake() {
	c.tls.Begin(c.loop.poll, c.Notify)
	c.loop.timers.set(c, c.loop.server.router.Now()+int64(c.loop.server.opts.Load().HandshakeTimeout))
}

// shakeOn handles an event of the socket until the handshake has been made.
func (c *Conn) shakeOn(events uint32) {
	c.hungUp = c.hungUp || events&(syscall.EPOLLRDHUP|syscall.EPOLLHUP|syscall.EPOLLERR) != 0
	c.urgent = c.urgent || events&syscall.EPOLLPRI != 0
	if c.tls.Stir() {
		c.loop.server.shaking.Add(1)
		go c.makeShake(c.tls)
	}
}

// makeShake makes the handshake, on a goroutine of its own.
func (c *Conn) makeShake(w *socket.TLS) {
	w.Shake(func() { c.loop.server.shaking.Add(-1) })
	c.Notify()
}

// shaken is called by the loop when the handshake's goroutine has ended, or when the
// connection has been dropped or closed meanwhile.
func (c *Conn) shaken() {
	outcome, err := c.tls.Shaken(c.closed)
	switch outcome {
	case socket.Dropped:
		c.close()
	case socket.Over:
		c.loop.ended(c)
	case socket.Failed:
		if secure.Plain(err) {
			socket.Write(c.fd, []byte("BAD_FORMAT\r\n")) // the client speaks without TLS
		}
		c.close()
		c.loop.ended(c)
	case socket.Made:
		c.loop.timers.remove(c)
		c.begin()
		c.readable = true // crypto/tls may have read more than the handshake
		c.goOn()
	}
}

// giveUp ends a handshake that has not been made. Nothing else of the connection has
// begun. shaken lets it go, after one Notify: that of the goroutine if there is one.
func (c *Conn) giveUp() {
	if c.tls.GiveUp() {
		c.Notify()
	}
}
