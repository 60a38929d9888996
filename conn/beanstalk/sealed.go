package beanstalk

import (
	"io"

	"beanfield/conn/beanstalk/socket"
)

// fillSealed is fill over TLS.
func (c *Conn) fillSealed() bool {
	buf := c.loop.buf
	kept := copy(buf, c.in)
	c.in = c.in[:0]
	n, err := c.openInto(buf[kept:])
	if c.closed {
		return false
	}
	if n == 0 && err == socket.ErrEmpty {
		c.save(buf[:kept])
		return false
	}
	if n == 0 {
		c.close()
		return false
	}
	c.reads++
	c.process(buf[:kept+n])
	return true
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

// lookAhead reads from a client that waits in a reserve, to find the end of its stream,
// which epoll cannot see in a record. It reports whether it has found it.
func (c *Conn) lookAhead() bool {
	if !c.readable || c.hungUp || c.call != callNone || c.closed || !c.session.Waiting() || len(c.in) == len(c.loop.buf) {
		return false
	}
	buf := c.loop.buf
	kept := copy(buf, c.in)
	n, err := c.openInto(buf[kept:])
	if c.closed {
		return false
	}
	c.save(buf[:kept+n])
	if err == nil || err == socket.ErrEmpty {
		return false
	}
	c.hungUp = true
	c.hangUpWait()
	return true
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
