package beanstalk

import (
	"beanfield/conn"
	"beanfield/conn/beanstalk/event"
	"beanfield/conn/beanstalk/protocol"
	"beanfield/conn/socket"
	"beanfield/router"
)

// Conn is one client's connection. Only its loop touches it, but for Notify.
//
// It is ready for its next command unless a session's call is under way, it
// waits in a reserve, a list is being written, or its replies are stuck: then the
// bytes that have been read stay in the field In, and no more are read.
type Conn struct {
	event.Conn
	loop    *loop
	session router.Session

	call             call          // the session's call that is under way
	verb             protocol.Verb // of the latest command that the session ran by itself
	producer, worker bool
	fresh            bool // no line has come yet
	http             bool // the client may speak HTTP (Door)
	login            bool // the client may log in with a token
	mayShow          bool // likewise with its first put, which is still to come
	refusalDue       bool // it has shown a wrong token, whose answer is late
	resumes          bool // its reserve goes on with a wait that was interrupted

	skip skipper
	put  *gathering // a put, or another command, whose body is not complete
	run  *run
	wait waiting

	from  *conn.Peer // who it is; nil: the kernel knows
	id    uint64     // conn.Client.ID
	came  int64      // when the call that is under way began; 0 if nobody wants to know
	since int64      // when it came, in nanoseconds since 1970
	reads uint64     // how often something has been read

	guard *guard // what the client may do; nil without rules

	listing [][]string // what is still to be worded of a list of tubes; nil if none is
}

// waiting is the wait that a connection is in.
type waiting struct {
	timeout int64  // nanoseconds, of the reserve that is being run
	until   int64  // when the wait times out; MaxInt64 for never
	room    bool   // it is that of a put, which waits for room
	tube    string // in this tube
}

// call names the session's call that is under way, so that its end can be
// answered.
type call uint8

const (
	callNone call = iota
	callRun
	callOpen
	callSession // of the command in Conn.verb
	callReserve
	callEndWait
	callRefresh
	callReview  // the watched tubes, because other rules hold
	callSuspend // a wait ends, because other rules hold
	callReviewWait
	callLogin
	callHolders // of the jobs of a list: their loops say where they are
	callSift    // the names of tubes that the client may see
	callLeave   // the session is still to be closed
	callClose
)

// ends has what follows each call: its answer, mostly. It is filled by init, because what it has
// uses it.
var ends [callClose + 1]func(*Conn)

// ready says whether the next command may be run.
func (c *Conn) ready() bool {
	return c.call == callNone && !c.session.Waiting() && !c.Stuck() && c.listing == nil && !c.Closed() &&
		!c.refusalDue
}

// await remembers that a session's call is under way.
func (c *Conn) await(k call) {
	if c.call == callNone {
		c.begun()
	}
	c.call = k
	c.Await(c.session.Underway(), c.session.Later)
}

// finish ends a session's call if it is done, or remembers that it is under way.
func (c *Conn) finish(k call, done bool) {
	if !done {
		c.await(k)
		return
	}
	c.call = callNone
	c.Answered()
	if came := c.came; came != 0 && !c.Closed() {
		c.came = 0
		c.timeCall(k, came)
	}
	if c.Closed() {
		c.closing(k)
		return
	}
	if then := ends[k]; then != nil {
		then(c)
	}
}

// Leave implements event.Client: what the client holds goes back to its tubes
// even if that takes until another goroutine has answered. That begins when the loop
// takes the connection out of its inbox: many clients may hang up at once, each with
// much to give back, and the inbox lets others have their turn between them.
func (c *Conn) Leave() {
	c.endDelay()
	if c.loop.latest.conn == c {
		c.loop.latest.conn = nil
	}
	if c.put != nil {
		c.dropPut()
	}
	c.listing = nil
	if c.call != callRun {
		c.run = nil
	}
	if c.call == callNone {
		c.await(callLeave)
		c.Notify()
	}
}

// closing is finish for a connection that is closed: no call is under way any more, and
// the session can be closed now, or has just been closed.
func (c *Conn) closing(k call) {
	if k == callClose {
		c.End()
		return
	}
	if k == callRun {
		c.run = nil
	}
	c.finish(callClose, c.session.Close())
}

// Left implements event.Client.
func (c *Conn) Left() { c.loop.server.left(c) }

// Long implements event.Client.
func (c *Conn) Long() bool { return c.listing != nil }

// Begin implements event.Client.
func (c *Conn) Begin() {
	c.session.Later = c.loop.server.router.Pushed()
	c.session.Init(c.loop.server.router, c, &c.loop.waiting)
	c.finish(callOpen, c.session.Open())
}

// Called implements event.Client: the session's call may have been answered, or a shard has something to say.
func (c *Conn) Called() {
	if c.call != callNone {
		if !c.session.Resume() {
			c.await(c.call) // of another shard, perhaps
			return
		}
		c.finish(c.call, true)
	}
	if c.Closed() {
		return
	}
	if c.call == callNone && c.session.Waiting() {
		if c.session.Delivered() {
			c.endWait()
		} else if c.HungUp {
			c.hangUpWait()
		}
	}
	c.GoOn()
}

// HangUp implements event.Client.
func (c *Conn) HangUp() {
	if c.call == callNone && c.session.Waiting() {
		c.hangUpWait()
	}
}

// GoOn implements event.Client: it runs the commands that the connection has left, then reads more, and at the
// end writes all replies at once.
func (c *Conn) GoOn() {
	if c.listing != nil && !c.Stuck() {
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
	if len(c.In) > 0 && c.ready() {
		c.process(c.Kept())
	}
	for c.Readable && c.ready() {
		if c.Send(); !c.ready() {
			break
		}
		data, more := c.Fill()
		if !more {
			break
		}
		if len(data) > 0 {
			c.reads++
			c.process(data)
		}
	}
	c.Send()
	if (c.TLS() != nil || socket.ReadAhead) && c.call == callNone && c.session.Waiting() && c.LookAhead() {
		c.hangUpWait()
		c.GoOn()
	}
	if c.calledOff() {
		c.Send()
		c.Notify() // others first
	}
	if !c.Closed() && len(c.In) == 0 {
		c.In = nil
	}
}

// Alarm implements event.Client: a wait may be over, or it is time for a late answer.
func (c *Conn) Alarm() {
	if c.refusalDue {
		c.refuseLate()
		return
	}
	if c.call != callNone || !c.session.Waiting() || c.session.Delivered() {
		return // something else is about to end the wait
	}
	c.finish(callRefresh, c.session.Refresh())
	c.GoOn()
}

// refuseLate answers a wrong token when its time has come.
func (c *Conn) refuseLate() {
	c.endDelay()
	if c.refuseToken(); !c.Closed() {
		c.GoOn()
	}
}
