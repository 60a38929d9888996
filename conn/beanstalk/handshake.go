package beanstalk

import (
	"syscall"

	"beanfield/conn/beanstalk/socket"
)

// A client that sends nothing during its handshake, or stops in between, is closed after the
// option HandshakeTimeout.

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
