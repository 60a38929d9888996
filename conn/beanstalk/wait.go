package beanstalk

import (
	"bytes"
	"math"

	"beanfield/conn/access"
	"beanfield/conn/beanstalk/protocol"
	"beanfield/conn/beanstalk/socket"
	"beanfield/conn/slow"
	"beanfield/shard/queue"
)

// forever is the timeout of a reserve without one, in seconds; no timeout that a client
// can give is as large.
const forever = math.MaxUint32

const second = int64(1e9)

// lasting is the timeout of a reserve in nanoseconds.
func lasting(seconds uint32) int64 {
	if seconds == forever {
		return protocol.Forever
	}
	return int64(seconds) * second
}

// wait makes the connection wait for a job, or for room for one, for so many nanoseconds.
func (c *Conn) wait(timeout int64) {
	c.wake.until = math.MaxInt64
	if timeout != protocol.Forever {
		c.wake.until = c.loop.server.router.Now() + timeout
	}
	c.waitOn()
}

// waitOn goes on with a wait.
func (c *Conn) waitOn() {
	c.setAlarm()
	switch {
	case c.hungUp:
		c.hangUpWait()
	case c.outdated() && c.wake.room:
		c.rejudgeRoom()
	case c.outdated():
		if _, more := c.rejudgeWait(0, recheckShare); more {
			c.loop.recheckLate()
		}
	}
}

// setAlarm sets the loop's timer to the first event that may end the wait.
func (c *Conn) setAlarm() {
	at := c.wake.until
	if soonest := c.session.Soonest(); soonest != math.MaxInt64 && !c.wake.room {
		at = min(at, soonest-queue.Margin)
	}
	if at == math.MaxInt64 {
		c.loop.timers.remove(c)
	} else {
		c.loop.timers.set(c, at)
	}
}

// endWait answers a wait that has brought a job.
func (c *Conn) endWait() {
	c.loop.timers.remove(c)
	c.finish(callEndWait, c.session.EndWait())
}

// decideWait ends the wait if a deadline is near or the timeout is over; with
// both, the deadline is what the client is told.
func (c *Conn) decideWait() {
	now := c.loop.server.router.Now()
	switch {
	case c.session.Delivered():
		c.endWait()
	case !c.wake.room && c.session.Soonest()-queue.Margin <= now:
		c.cancelWait(queue.DeadlineSoon)
	case c.wake.until <= now || c.hungUp:
		c.cancelWait(queue.TimedOut)
	default:
		c.waitOn()
	}
}

// hangUpWait ends the wait of a client that will send nothing more.
func (c *Conn) hangUpWait() { c.cancelWait(queue.TimedOut) }

// cancelWait ends the wait, unless a shard has just claimed it: then its
// delivery will.
func (c *Conn) cancelWait(status queue.Status) {
	won, done := c.session.CancelWait(status)
	if !won {
		return
	}
	c.loop.timers.remove(c)
	c.finish(callEndWait, done)
}

// callsOff is the line that ends the wait right before it, but for spaces at its end. A client may send it while it
// waits. It is then answered like any command, after the reserve.
const callsOff = "call-off"

// calledOff ends the wait if the next that the client has sent is to call it off. What a client has sent behind a
// reserve is not read before the wait is over; the socket is only asked what comes next.
func (c *Conn) calledOff() bool {
	if c.call != callNone || c.closed || !c.session.Waiting() || c.run != nil || c.guard != nil &&
		c.guard.recalled != nil {
		return false
	}
	var next [protocol.MaxLine + len(protocol.CRLF)]byte
	n := copy(next[:], c.in)
	if m := min(n, len(callsOff)); string(next[:m]) == callsOff[:m] && n < len(next) && c.tls == nil && c.readable {
		n += socket.Peek(c.fd, next[n:])
	}
	if line, _, _ := protocol.NextLine(next[:n]); string(bytes.TrimRight(line, " ")) != callsOff {
		return false
	}
	c.cancelWait(queue.TimedOut)
	return c.call == callNone && !c.session.Waiting()
}

// callOff has nothing left to do: the reserve before it has been answered.
func (c *Conn) callOff(*protocol.Command) {
	c.loop.out = append(c.loop.out, commands[c.verb].head...)
}

// A put may wait for room. For the connection that is a wait like that of a reserve, which ends by the same gate, and
// by time-out, hang-up and call-off. The shard has the body, and puts.

// answerRoom answers a put that has waited for room.
func (c *Conn) answerRoom() {
	tube := c.wake.tube
	c.wake.room, c.wake.tube = false, ""
	res := &c.session.Reservation
	c.becomeProducer()
	switch res.Status {
	case queue.OK:
		c.loop.out = protocol.AppendNumber(c.loop.out, "INSERTED ", res.ID)
	case queue.TimedOut:
		c.loop.refuse(protocol.Failures[queue.NoRoom])
	case queue.Denied:
		c.noteDenied(c.verb, tube, 0, slow.Right, lineOf(c.verb, tube, 0))
		c.loop.refuse(commands[c.verb].refused)
	default:
		c.answerFailed(c.verb, &queue.Op{Status: res.Status, ID: res.ID})
	}
	c.session.Trim()
}

// rejudgeRoom is called while a put waits for room and other rules hold. If the client may not put into that tube any
// more, the wait ends. The rest of what the rules say is looked at before the next command.
func (c *Conn) rejudgeRoom() {
	if c.session.Delivered() {
		return
	}
	c.judgeAnew()
	c.guard.stale = true
	if !c.guard.subject.May(c.wake.tube).Has(access.Put) {
		c.cancelWait(queue.Denied)
	}
}
