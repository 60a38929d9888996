package event

import (
	"sync/atomic"
	"syscall"
	"time"

	"beanfield/conn/socket"
)

// Client is who is served over a connection: it has the protocol. Only the loop calls it.
type Client interface {
	// Begin comes first: with TLS, when the handshake has been made.
	Begin()
	// Called follows a Notify.
	Called()
	// GoOn says that there may be input, or room for replies.
	GoOn()
	// HangUp says that the other side sends nothing more. GoOn follows.
	HangUp()
	// Alarm says that the time has come that SetAlarm has set.
	Alarm()
	// Leave says that the connection is closed: nothing is read or sent any more. When nothing of the client is left in
	// any shard, it calls End. It does not come if Begin has not.
	Leave()
	// Left is the last, right before the socket is closed.
	Left()
	// Long says that the client is in the middle of long work.
	Long() bool
}

// Conn is one client's socket. Only its loop touches it, except for queued, which any goroutine may set to have the
// loop serve it.
type Conn struct {
	loop   *Loop
	client Client
	fd     int
	tls    *socket.TLS // nil without TLS
	queued atomic.Bool
	next   *Conn // in the loop's inbox

	// Readable is true while the socket may have bytes that no event will announce again; HungUp after the client has
	// shut down its side.
	Readable, HungUp bool
	// urgent is true once the client has sent TCP urgent data: from then on a
	// short read may mean that it ended at the urgent byte's mark.
	urgent    bool
	closed    bool
	awaits    bool     // a shard
	polling   bool     // waiting for the socket to take more
	swiftRuns uint8    // runs in a row that were answered at once
	In        []byte   // read, but not yet parsed; a copy (B3)
	stuck     [][]byte // replies that the socket did not take: copies, or bodies of jobs (B3)
	at        int64    // when the alarm is; without a handshake yet, how long that may take
	place     int      // in the loop's timers, from 1; 0 if none
}

// Enter gives the loop a connection, with its client. The handshake of TLS, which may be nil, has as long as patience.
func (l *Loop) Enter(c *Conn, client Client, fd int, w *socket.TLS, patience time.Duration) {
	c.loop, c.client, c.fd, c.tls, c.at = l, client, fd, w, int64(patience)
	c.Notify()
}

// FD is the socket's descriptor.
func (c *Conn) FD() int { return c.fd }

// TLS is nil for a connection without it.
func (c *Conn) TLS() *socket.TLS { return c.tls }

// Stuck says that the socket does not take more replies.
func (c *Conn) Stuck() bool { return c.stuck != nil }

// Closed says that the connection is closed: nothing is read, run or written any more.
func (c *Conn) Closed() bool { return c.closed }

// Shaking says that the handshake has not been made yet. The client has not begun either then.
func (c *Conn) Shaking() bool { return c.tls != nil && c.tls.Shaking() }

// Notify has the loop call the client soon. Any goroutine may.
func (c *Conn) Notify() {
	if c.queued.CompareAndSwap(false, true) {
		c.loop.inbox.Push(c, &c.next)
		c.loop.wake()
	}
}

// Await notes that the client awaits a shard: one whose log is still to be pushed if later is set.
func (c *Conn) Await(shard int, later bool) {
	l := c.loop
	if !c.awaits {
		c.awaits = true
		l.calls++
	}
	l.asked = shard
	if later {
		c.swiftRuns = 0
		l.pushLater(shard)
	}
}

// Answered notes that the client awaits no shard any more.
func (c *Conn) Answered() {
	if c.awaits {
		c.awaits = false
		c.loop.calls--
	}
}

// SetAlarm has the loop call the client at that time, instead of any other.
func (c *Conn) SetAlarm(at int64) { c.loop.timers.set(c, at) }

// EndAlarm takes an alarm back, if there is one.
func (c *Conn) EndAlarm() { c.loop.timers.remove(c) }

// event is called by the loop when its poller reports an event.
func (c *Conn) event(events uint32) {
	if c.Shaking() {
		c.shakeOn(events)
		return
	}
	if events&(socket.Input|socket.Gone) != 0 {
		c.Readable = true
	}
	if events&socket.Urgent != 0 {
		c.Readable, c.urgent = true, true
	}
	if events&socket.HangUp != 0 {
		c.Readable, c.HungUp = true, true
		c.client.HangUp()
	}
	if c.stuck != nil {
		c.unstick()
	}
	c.client.GoOn()
}

// Fill reads once. With data, what was kept comes first. more is false if there is nothing to read now, or others come
// first.
func (c *Conn) Fill() (data []byte, more bool) {
	l := c.loop
	if l.reads == readsPerTurn || l.Effort <= 0 {
		c.Notify() // others first, then this one again
		return nil, false
	}
	l.reads++
	l.over()
	kept := copy(l.buf, c.In)
	c.In = c.In[:0]
	n, err := c.receive(l.buf[kept:])
	switch {
	case c.closed:
		return nil, false
	case n > 0:
		return l.buf[:kept+n], true
	case err == socket.ErrEmpty, err == syscall.EINTR:
		c.Save(l.buf[:kept])
		return nil, err == syscall.EINTR
	}
	c.Close()
	return nil, false
}

// Kept takes what was kept, in the loop's buffer.
func (c *Conn) Kept() []byte {
	n := copy(c.loop.buf, c.In)
	c.In = c.In[:0]
	return c.loop.buf[:n]
}

// receive reads once, and notes whether there may be more. An end has no error, or another than ErrEmpty and EINTR.
func (c *Conn) receive(b []byte) (n int, err error) {
	if c.tls != nil {
		n, err = c.openInto(b)
	} else {
		if n, err = socket.Read(c.fd, b); err == syscall.EAGAIN {
			err = socket.ErrEmpty
		}
		// A short read means that the socket is empty: the next event comes
		// by itself. After a hang-up the end of the stream is still to be
		// read, and urgent data ends a read early.
		c.Readable = err == syscall.EINTR || n == len(b) || n > 0 && (c.HungUp || c.urgent)
		c.loop.moved(n)
	}
	if !c.Readable {
		c.loop.poll.Emptied(c.fd)
	}
	return n, err
}

// keepIn is how large a buffer for little input may be kept.
const keepIn = 1 << 10

// Save keeps bytes that cannot be parsed yet.
func (c *Conn) Save(rest []byte) {
	if cap(c.In) > keepIn && len(rest) < cap(c.In)/4 {
		c.In = nil
	}
	c.In = append(c.In[:0], rest...)
}

// notified is called by the loop after a Notify.
func (c *Conn) notified() {
	if c.Shaking() {
		c.shaken()
	} else {
		c.client.Called()
	}
}

// alarm is called by the loop when the time has come that SetAlarm has set.
func (c *Conn) alarm() {
	if c.Shaking() {
		c.Close()
	} else {
		c.client.Alarm()
	}
}

// Close ends the connection. The client's end begins, but for one that has not begun.
func (c *Conn) Close() {
	if c.closed {
		return
	}
	c.closed = true
	c.loop.conns[c.fd] = nil
	c.loop.poll.Closing(c.fd)
	c.EndAlarm()
	if c.Shaking() {
		c.giveUp()
		return
	}
	if c.tls != nil {
		c.tls.Cut = c.stuck != nil
	}
	c.In, c.stuck = nil, nil
	c.client.Leave()
}

// cut closes the connection. The client hears no more, however long the log takes for what is still to end.
func (c *Conn) cut() {
	syscall.Shutdown(c.fd, syscall.SHUT_RDWR)
	c.Close()
}

// End is called when nothing of a client is left in any shard. The socket is closed last: a client that sees it close
// finds its jobs released.
func (c *Conn) End() {
	c.client.Left()
	if c.tls != nil {
		c.tls.Farewell()
	}
	syscall.Close(c.fd)
	c.loop.group.Left()
	c.loop.count(-1)
}
