package beanstalk

import (
	"io"
	"syscall"

	"beanfield/conn/beanstalk/socket"
	"beanfield/storage/pace"
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
	pace.Woke()
}

// makeShake makes the handshake, on a goroutine of its own.
func (c *Conn) makeShake(w *socket.TLS) {
	w.Shake(func() { c.loop.server.shaking.Add(-1) })
	c.Notify()
}

// openInto reads what there is, and notes whether there is more and whether the client has
// ended its side: nothing but crypto/tls sees an end that is announced in a record.
func (c *Conn) openInto(b []byte) (n int, err error) {
	n, err = c.tls.Open(b, c.hungUp || c.urgent, &c.loop.records)
	c.loop.moved(n)
	c.readable = err != socket.ErrEmpty
	if err == io.EOF {
		c.hungUp = true
	}
	if c.tls.Owes() && c.stuck == nil {
		c.writeSealed(nil) // the client has asked for new keys, or an alert is due
	}
	return n, err
}

// writeSealed is write over TLS. It counts sealed bytes as written. If the socket does not take
// them all, the connection is stuck.
func (c *Conn) writeSealed(b []byte) (n int, ok bool) {
	n, sent, err := c.tls.Send(b, c.loop.share, &c.loop.records)
	c.loop.share -= sent
	c.loop.moved(sent)
	if err != nil {
		c.close()
		return n, false
	}
	if c.tls.Owes() && c.stuck == nil {
		c.stick(nil) // what is sealed is all that is stuck
	}
	return n, true
}
