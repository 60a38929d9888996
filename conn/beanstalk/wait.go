package beanstalk

import (
	"bytes"
	"math"

	"beanfield/conn/access"
	"beanfield/conn/beanstalk/protocol"
	"beanfield/conn/slow"
	"beanfield/conn/socket"
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

// beginWaiting makes the connection wait for a job, or for room for one, for so many nanoseconds.
func (c *Conn) beginWaiting(timeout int64) {
	c.wait.until = math.MaxInt64
	if timeout != protocol.Forever {
		c.wait.until = c.loop.server.router.Now() + timeout
	}
	c.waitOn()
}

// waitOn goes on with a wait.
func (c *Conn) waitOn() {
	c.setAlarm()
	switch {
	case c.HungUp:
		c.hangUpWait()
	case c.outdated() && c.wait.room:
		c.rejudgeRoom()
	case c.outdated():
		if _, more := c.rejudgeWait(0, recheckShare); more {
			// The loop may have passed this connection already: its wait has just begun.
			c.loop.late = true
			c.loop.recheckSoon()
		}
	}
}

// setAlarm sets the loop's timer to the first event that may end the wait.
func (c *Conn) setAlarm() {
	at := c.wait.until
	if soonest := c.session.Soonest(); soonest != math.MaxInt64 && !c.wait.room {
		at = min(at, soonest-queue.Margin)
	}
	if at == math.MaxInt64 {
		c.EndAlarm()
	} else {
		c.SetAlarm(at)
	}
}

// endWait answers a wait that has brought a job.
func (c *Conn) endWait() {
	c.EndAlarm()
	c.finish(callEndWait, c.session.EndWait())
}

// decideWait ends the wait if a deadline is near or the timeout is over; with
// both, the deadline is what the client is told.
func (c *Conn) decideWait() {
	now := c.loop.server.router.Now()
	switch {
	case c.session.Delivered():
		c.endWait()
	case !c.wait.room && c.session.Soonest()-queue.Margin <= now:
		c.cancelWait(queue.DeadlineSoon)
	case c.wait.until <= now || c.HungUp:
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
	c.EndAlarm()
	c.finish(callEndWait, done)
}

// callsOff is the line that ends the wait right before it, but for spaces at its end. A client may send it while it
// waits. It is then answered like any command, after the reserve.
const callsOff = "call-off"

// calledOff ends the wait if the next that the client has sent is to call it off. What a client has sent behind a
// reserve is not read before the wait is over; the socket is only asked what comes next.
func (c *Conn) calledOff() bool {
	if c.call != callNone || c.Closed() || !c.session.Waiting() || c.run != nil || c.guard != nil &&
		c.guard.recalled != nil {
		return false
	}
	var next [protocol.MaxLine + len(protocol.CRLF)]byte
	n := copy(next[:], c.In)
	if m := min(n, len(callsOff)); string(next[:m]) == callsOff[:m] && n < len(next) && c.TLS() == nil && c.Readable {
		m, _ := socket.Peek(c.FD(), next[n:])
		n += m
	}
	if line, _, _ := protocol.NextLine(next[:n]); string(bytes.TrimRight(line, " ")) != callsOff {
		return false
	}
	c.cancelWait(queue.TimedOut)
	return c.call == callNone && !c.session.Waiting()
}

// callOff has nothing left to do: the reserve before it has been answered.
func (c *Conn) callOff(*protocol.Command) {
	c.loop.Out = append(c.loop.Out, commands[c.verb].head...)
}

// A put may wait for room. For the connection that is a wait like that of a reserve, which ends by the same gate, and
// by time-out, hang-up and call-off. The shard has the body, and puts.

// answerRoom answers a put that has waited for room.
func (c *Conn) answerRoom() {
	tube := c.wait.tube
	c.wait.room, c.wait.tube = false, ""
	res := &c.session.Reservation
	c.becomeProducer()
	switch res.Status {
	case queue.OK:
		c.loop.Out = protocol.AppendNumber(c.loop.Out, "INSERTED ", res.ID)
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
	if !c.guard.subject.May(c.wait.tube).Has(access.Put) {
		c.cancelWait(queue.Denied)
	}
}

// reserve runs all reserves but that of a certain job.
func (c *Conn) reserve(cmd *protocol.Command) bool {
	timeout := int64(protocol.Forever)
	switch {
	case cmd.Verb == verbReserve:
	case cmd.Several > 0:
		timeout = cmd.ExactDelay
	case commands[cmd.Verb].options == nil:
		timeout = int64(cmd.N) * second
	default:
		l := &c.loop.reserveLine
		if !l.Read(cmd.Options) {
			return c.reject(cmd.Verb, protocol.BadFormat, true, slow.Option)
		}
		return c.reserveFor(cmd.Verb, l.Options.Timeout, l.Count, &l.Options)
	}
	return c.reserveFor(cmd.Verb, timeout, cmd.Several, nil)
}

// reserveFor reserves up to count jobs, with options if there are any. In the usual case, all watched tubes in one
// shard, it is an operation of the run like others.
func (c *Conn) reserveFor(v protocol.Verb, timeout int64, count uint32, options *queue.Options) bool {
	var tags queue.Tags
	seconds, exact := uint32(forever), true
	if options != nil {
		tags = options.Tags
	} else if timeout != protocol.Forever {
		seconds, exact = uint32(timeout/second), timeout%second == 0
	}
	if exact && c.session.ReserveInPlace(tags) {
		op := c.opFor(c.session.WatchShard(), v)
		if op == nil {
			c.flush()
			return false
		}
		op.Poll, op.Timeout, op.Limit = timeout == 0, seconds, count
		if options != nil {
			op.Options = c.run.copyOptions(options)
		}
		c.run.member = true
		c.becomeWorker()
		return true
	}
	if !c.counted(v) {
		return false
	}
	c.becomeWorker()
	c.verb, c.wait.timeout = v, timeout
	if commands[v].op == queue.ReserveSeveral {
		c.finish(callReserve, c.session.ReserveSeveral(int(count), options, timeout == 0))
	} else {
		c.finish(callReserve, c.session.Reserve(timeout == 0))
	}
	return true
}

// answerReserve answers a reserve over several shards, or one that has waited; or
// begins the wait.
func (c *Conn) answerReserve() {
	if c.wait.room {
		c.answerRoom()
		return
	}
	resumes := c.resumes
	c.resumes = false
	if c.session.Waiting() {
		c.session.Trim()
		if resumes {
			c.waitOn()
		} else {
			c.beginWaiting(c.wait.timeout)
		}
		return
	}
	res := &c.session.Reservation
	if res.Status != queue.OK {
		c.loop.refuse(protocol.Failures[res.Status])
		c.session.Trim()
		return
	}
	if v := c.session.Several; v != nil {
		c.loop.Out = protocol.AppendNumber(c.loop.Out, commands[c.verb].head, uint64(len(v.Jobs)))
		for _, j := range v.Jobs {
			c.sayJob(reserved, j.ID, j.Size, j.About, j.Small, j.Large)
		}
	} else {
		c.sayJob(reserved, res.ID, res.Size, nil, res.Small, res.Large)
	}
	c.session.Trim()
}
