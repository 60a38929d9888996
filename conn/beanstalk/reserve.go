package beanstalk

import (
	"beanfield/conn/beanstalk/protocol"
	"beanfield/conn/slow"
	"beanfield/shard/queue"
)

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
	c.verb, c.wake.timeout = v, timeout
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
	if c.wake.room {
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
			c.wait(c.wake.timeout)
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
		c.loop.out = protocol.AppendNumber(c.loop.out, commands[c.verb].head, uint64(len(v.Jobs)))
		for _, j := range v.Jobs {
			c.sayJob(reserved, j.ID, j.Size, j.About, j.Small, j.Large)
		}
	} else {
		c.sayJob(reserved, res.ID, res.Size, nil, res.Small, res.Large)
	}
	c.session.Trim()
}
