package event

import (
	"io"
	"syscall"

	"beanfield/conn/secure"
	"beanfield/conn/socket"
	"beanfield/storage/pace"
)

// shakeOn handles an event of the socket until the handshake has been made, on a goroutine of its own.
func (c *Conn) shakeOn(events uint32) {
	c.HungUp = c.HungUp || events&socket.HangUp != 0
	c.urgent = c.urgent || events&socket.Urgent != 0
	if c.tls.Stir() {
		c.loop.group.shaking.Add(1)
		go func(w *socket.TLS) {
			w.Shake(func() { c.loop.group.shaking.Add(-1) })
			c.Notify()
		}(c.tls)
	}
	pace.Woke()
}

// openInto reads what there is, and notes whether there is more and whether the client has
// ended its side: nothing but crypto/tls sees an end that is announced in a record.
func (c *Conn) openInto(b []byte) (n int, err error) {
	n, err = c.tls.Open(b, c.HungUp || c.urgent, &c.loop.records)
	c.loop.moved(n)
	c.Readable = err != socket.ErrEmpty
	if err == io.EOF {
		c.HungUp = true
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
		c.Close()
		return n, false
	}
	if c.tls.Owes() && c.stuck == nil {
		c.stick(nil) // what is sealed is all that is stuck
	}
	return n, true
}

// giveUp ends a handshake that has not been made. Nothing else of the connection has
// begun. shaken lets it go, after one Notify: that of the goroutine if there is one.
func (c *Conn) giveUp() {
	if c.tls.GiveUp() {
		c.Notify()
	}
}

// shaken is called by the loop when the handshake's goroutine has ended, or when the
// connection has been dropped or closed meanwhile.
func (c *Conn) shaken() {
	outcome, err := c.tls.Shaken(c.closed)
	switch outcome {
	case socket.Dropped:
		c.Close()
	case socket.Over:
		c.End()
	case socket.Failed:
		if secure.Plain(err) {
			socket.Write(c.fd, []byte("BAD_FORMAT\r\n")) // the client speaks without TLS
		}
		c.Close()
		c.End()
	case socket.Made:
		c.EndAlarm()
		c.client.Begin()
		c.Readable = true // crypto/tls may have read more than the handshake
		c.client.GoOn()
	}
}

// LookAhead reads from a client that waits, to find the end of its stream, where no event tells of it:
// with TLS, and with some pollers (socket.ReadAhead). It reports whether it has found it.
func (c *Conn) LookAhead() bool {
	if !c.Readable || c.HungUp || c.closed || len(c.In) == len(c.loop.buf) {
		return false
	}
	buf := c.loop.buf
	kept := copy(buf, c.In)
	n, err := c.receive(buf[kept:])
	if c.closed {
		return false
	}
	c.Save(buf[:kept+n])
	if err == socket.ErrEmpty || err == syscall.EINTR || err == nil && n > 0 {
		return false
	}
	c.Readable, c.HungUp = true, true
	return true
}
