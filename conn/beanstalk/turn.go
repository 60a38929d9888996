package beanstalk

import (
	"syscall"

	"beanfield/conn/beanstalk/socket"
	"beanfield/conn/secure"
)

// begin is the first thing that the loop does with a connection.
func (c *Conn) begin() {
	c.session.Later = c.loop.server.router.Pushed()
	c.session.Init(c.loop.server.router, c, &c.loop.waiting)
	c.finish(callOpen, c.session.Open())
}

// notified is called by the loop after a Notify.
func (c *Conn) notified() {
	if c.shaking() {
		c.shaken()
		return
	}
	if c.call != callNone {
		if !c.session.Resume() {
			c.await(c.call) // of another shard, perhaps
			return
		}
		c.finish(c.call, true)
	}
	if c.closed {
		return
	}
	if c.call == callNone && c.session.Waiting() {
		if c.session.Delivered() {
			c.endWait()
		} else if c.hungUp {
			c.hangUpWait()
		}
	}
	c.goOn()
}

// event is called by the loop when epoll reports an event.
func (c *Conn) event(events uint32) {
	if c.shaking() {
		c.shakeOn(events)
		return
	}
	if events&(syscall.EPOLLIN|syscall.EPOLLHUP|syscall.EPOLLERR) != 0 {
		c.readable = true
	}
	if events&syscall.EPOLLPRI != 0 {
		c.readable, c.urgent = true, true
	}
	if events&(syscall.EPOLLRDHUP|syscall.EPOLLHUP|syscall.EPOLLERR) != 0 {
		c.readable, c.hungUp = true, true
		if c.call == callNone && c.session.Waiting() {
			c.hangUpWait()
		}
	}
	if c.stuck != nil {
		c.unstick()
	}
	c.goOn()
}

// readsPerTurn bounds how many reads a busy client has before its loop serves
// others.
const readsPerTurn = 4

// goOn runs the commands that the connection has left, then reads more, and at the
// end writes all replies at once.
func (c *Conn) goOn() {
	if c.listing != nil && c.stuck == nil {
		c.listOn()
	}
	if c.run != nil && c.ready() {
		if c.obsolete() {
			c.recall()
		} else {
			c.flush()
		}
	}
	if c.guard != nil && c.guard.recalled != nil && c.ready() {
		c.rerun()
	}
	if len(c.in) > 0 && c.ready() {
		n := copy(c.loop.buf, c.in)
		c.in = c.in[:0]
		c.process(c.loop.buf[:n])
	}
	for reads := 0; c.readable && c.ready(); reads++ {
		c.send()
		if reads == readsPerTurn || c.loop.effort <= 0 {
			c.Notify() // others first, then this one again
			break
		}
		if !c.ready() {
			break
		}
		if c.loop.over(); !c.fill() {
			break
		}
	}
	c.send()
	if c.tls != nil && c.lookAhead() {
		c.goOn()
	}
	if c.calledOff() {
		c.send()
		c.Notify() // others first
	}
	if !c.closed && len(c.in) == 0 {
		c.in = nil
	}
}

// fill reads once and processes what came.
func (c *Conn) fill() bool {
	buf := c.loop.buf
	kept := copy(buf, c.in)
	c.in = c.in[:0]
	n, err := c.receive(buf[kept:])
	switch {
	case c.closed:
		return false
	case n > 0:
		c.reads++
		c.process(buf[:kept+n])
		return true
	case err == socket.ErrEmpty, err == syscall.EINTR:
		c.save(buf[:kept])
		return err == syscall.EINTR
	}
	c.close()
	return false
}

// receive reads once, and notes whether there may be more. An end has no error, or another than ErrEmpty and EINTR.
func (c *Conn) receive(b []byte) (n int, err error) {
	if c.tls != nil {
		return c.openInto(b)
	}
	if n, err = socket.Read(c.fd, b); err == syscall.EAGAIN {
		err = socket.ErrEmpty
	}
	// A short read means that the socket is empty: the next event comes
	// by itself. After a hang-up the end of the stream is still to be
	// read, and urgent data ends a read early.
	c.readable = err == syscall.EINTR || n == len(b) || n > 0 && (c.hungUp || c.urgent)
	c.loop.moved(n)
	return n, err
}

// alarm is called by the loop when the time that setAlarm set has come.
func (c *Conn) alarm() {
	if c.shaking() {
		c.close()
		return
	}
	if c.refusalDue {
		c.refuseLate()
		return
	}
	if c.call != callNone || !c.session.Waiting() || c.session.Delivered() {
		return // something else is about to end the wait
	}
	c.finish(callRefresh, c.session.Refresh())
	c.goOn()
}

// lookAhead reads from a client that waits in a reserve, to find the end of its stream,
// which epoll cannot see in a record. It reports whether it has found it.
func (c *Conn) lookAhead() bool {
	if !c.readable || c.hungUp || c.call != callNone || c.closed || !c.session.Waiting() ||
		len(c.in) == len(c.loop.buf) {
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

// refuseLate answers a wrong token when its time has come.
func (c *Conn) refuseLate() {
	c.endDelay()
	if c.refuseToken(); !c.closed {
		c.goOn()
	}
}
