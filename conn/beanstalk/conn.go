package beanstalk

import (
	"sync/atomic"

	"beanfield/conn/beanstalk/protocol"
	"beanfield/conn/beanstalk/socket"
	"beanfield/router"
)

// Conn is one client's connection. Only its loop touches it, except for queued,
// which any goroutine may set to have the loop serve it.
//
// It is ready for its next command unless a session's call is under way, it
// waits in a reserve, a list is being written, or its replies are stuck: then the
// bytes that have been read stay in the field in, and no more are read.
type Conn struct {
	loop    *loop
	fd      int
	tls     *socket.TLS // nil without TLS
	session router.Session
	queued  atomic.Bool
	next    *Conn // in the loop's inbox

	call   call          // the session's call that is under way
	verb   protocol.Verb // of the latest command that the session ran by itself
	closed bool
	// readable is true while the socket may have bytes that no event will
	// announce again; hungUp after the client has shut down its side.
	readable, hungUp bool
	// urgent is true once the client has sent TCP urgent data: from then on a
	// short read may mean that it ended at the urgent byte's mark.
	urgent           bool
	producer, worker bool
	fresh            bool  // no line has come yet
	http             bool  // the client may speak HTTP (Door)
	login            bool  // the client may log in with a token
	mayShow          bool  // likewise with its first put, which is still to come
	refusalDue       bool  // it has shown a wrong token, whose answer is late
	resumes          bool  // its reserve goes on with a wait that was interrupted
	swiftRuns        uint8 // runs in a row that were answered at once

	in   []byte // read, but not yet parsed; a copy (B3)
	skip skipper
	put  *gathering // a put, or another command, whose body is not complete
	run  *run
	wake waitTimer

	id    uint64 // conn.Client.ID
	came  int64  // when the call that is under way began; 0 if nobody wants to know
	since int64  // when it came, in nanoseconds since 1970
	reads uint64 // how often something has been read

	guard *guard // what the client may do; nil without rules

	listing [][]string // what is still to be worded of a list of tubes; nil if none is
	stuck   [][]byte   // replies that the socket did not take: copies, or bodies of jobs (B3)
	polling bool       // waiting for the socket to take more
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

// Notify implements router.Owner: the loop will serve the connection soon.
func (c *Conn) Notify() {
	if c.queued.CompareAndSwap(false, true) {
		c.loop.inbox.Push(c, &c.next)
		c.loop.wake()
	}
}

// ready says whether the next command may be run.
func (c *Conn) ready() bool {
	return c.call == callNone && !c.session.Waiting() && c.stuck == nil && c.listing == nil && !c.closed &&
		!c.refusalDue
}

// await remembers that a session's call is under way.
func (c *Conn) await(k call) {
	if c.call == callNone {
		c.loop.calls++
		c.begun()
	}
	c.call = k
	c.loop.asked = c.session.Underway()
	if c.session.Later {
		c.swiftRuns = 0
		c.loop.pushLater(c.loop.asked)
	}
}

// finish ends a session's call if it is done, or remembers that it is under way.
func (c *Conn) finish(k call, done bool) {
	if !done {
		c.await(k)
		return
	}
	if c.call != callNone {
		c.call = callNone
		c.loop.calls--
	}
	if came := c.came; came != 0 && !c.closed {
		c.came = 0
		c.timeCall(k, came)
	}
	if c.closed {
		c.closing(k)
		return
	}
	if then := ends[k]; then != nil {
		then(c)
	}
}

// keepIn is how large a buffer for little input may be kept.
const keepIn = 1 << 10

// save keeps bytes that cannot be parsed yet.
func (c *Conn) save(rest []byte) {
	if cap(c.in) > keepIn && len(rest) < cap(c.in)/4 {
		c.in = nil
	}
	c.in = append(c.in[:0], rest...)
}

// close ends the connection. What the client holds goes back to its tubes
// even if that takes until another goroutine has answered. That begins when the loop
// takes the connection out of its inbox: many clients may hang up at once, each with
// much to give back, and the inbox lets others have their turn between them.
func (c *Conn) close() {
	if c.closed {
		return
	}
	c.closed = true
	c.endDelay()
	c.loop.forget(c)
	if c.put != nil {
		c.dropPut()
	}
	if c.shaking() {
		c.giveUp()
		return
	}
	if c.tls != nil {
		c.tls.Cut = c.stuck != nil
	}
	c.in, c.stuck, c.listing = nil, nil, nil
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
		c.loop.ended(c)
		return
	}
	if k == callRun {
		c.run = nil
	}
	c.finish(callClose, c.session.Close())
}

// shaking says that the handshake has not been made yet. The session has not begun
// either then.
func (c *Conn) shaking() bool { return c.tls != nil && c.tls.Shaking() }

// giveUp ends a handshake that has not been made. Nothing else of the connection has
// begun. shaken lets it go, after one Notify: that of the goroutine if there is one.
func (c *Conn) giveUp() {
	if c.tls.GiveUp() {
		c.Notify()
	}
}
