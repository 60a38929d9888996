package beanstalk

import (
	"beanfield/conn/beanstalk/protocol"
	"beanfield/conn/slow"
	"beanfield/shard/queue"
)

// reserve runs all reserves but that of a certain job. In the usual case, all watched tubes in one
// shard, it is an operation of the run like others.
func (c *Conn) reserve(cmd *protocol.Command) bool {
	seconds, fraction := cmd.N, int64(0)
	switch cmd.Verb {
	case verbReserve:
		seconds = forever
	case verbSeveral:
		seconds, fraction = uint32(cmd.ExactDelay/second), cmd.ExactDelay%second
	}
	poll := seconds == 0 && fraction == 0
	if fraction == 0 && c.session.ReserveInPlace(nil) {
		op := c.opFor(c.session.WatchShard(), cmd.Verb)
		if op == nil {
			c.flush()
			return false
		}
		op.Poll = poll
		op.Timeout, op.Limit = seconds, cmd.Several
		c.run.member = true
		c.becomeWorker()
		return true
	}
	if !c.flush() {
		return false
	}
	c.becomeWorker()
	c.loop.count(cmd.Verb)
	c.wake.timeout = lasting(seconds) + fraction
	if cmd.Verb == verbSeveral {
		c.finish(callReserve, c.session.ReserveSeveral(int(cmd.Several), nil, poll))
	} else {
		c.finish(callReserve, c.session.Reserve(poll))
	}
	return true
}

// reserveWith runs a reserve that asks for tags, and to be told more of its jobs.
func (c *Conn) reserveWith(cmd *protocol.Command) bool {
	l := &c.loop.reserveLine
	if !l.Read(cmd.Options) {
		return c.reject(cmd.Verb, protocol.BadFormat, true, slow.Option)
	}
	return c.reserveTold(cmd.Verb, l.Count, &l.Options)
}

// reserveTold runs it when its line has been read.
func (c *Conn) reserveTold(v protocol.Verb, count uint32, options *queue.Options) bool {
	poll := options.Timeout == 0
	if c.session.ReserveInPlace(options.Tags) {
		op := c.opFor(c.session.WatchShard(), v)
		if op == nil {
			c.flush()
			return false
		}
		op.Poll, op.Limit, op.Options = poll, count, c.run.copyOptions(options)
		c.run.member = true
		c.becomeWorker()
		return true
	}
	if !c.flush() {
		return false
	}
	c.becomeWorker()
	c.loop.count(v)
	c.wake.timeout = options.Timeout
	c.finish(callReserve, c.session.ReserveSeveral(int(count), options, poll))
	return true
}

// saySeveral answers a reserve of several jobs in one shard.
func (c *Conn) saySeveral(r *run, op *queue.Op) {
	list := r.Taken[op.From:op.To]
	c.sayHowMany(len(list), op.Options != nil)
	for i := range list {
		k := &list[i]
		if op.Parts != nil { // it had to be read, and is alone
			k.Large = op.Parts
		}
		c.sayReserved(k.ID, k.Size, k.About, r.Bytes[k.From:k.To], k.Large)
	}
}

func (c *Conn) sayHowMany(n int, told bool) {
	word := "RESERVED_BATCH "
	if told {
		word = "RESERVED_WITH "
	}
	c.loop.out = protocol.AppendNumber(c.loop.out, word, uint64(n))
}

// sayReserved says a job, with what is told about it; nil if that is nothing.
func (c *Conn) sayReserved(id uint64, size uint32, about *queue.About, small []byte, large [][]byte) {
	if about != nil {
		c.loop.out, large = protocol.AppendTold(c.loop.out, id, size, about, small, large)
	} else {
		c.loop.out, large = protocol.AppendJob(c.loop.out, "RESERVED ", id, size, small, large)
	}
	if large != nil && !c.closed {
		c.sendLarge(large)
	}
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
		c.sayHowMany(len(v.Jobs), v.Told())
		for _, j := range v.Jobs {
			c.sayReserved(j.ID, j.Size, j.About, j.Small, j.Large)
		}
	} else {
		c.sayReserved(res.ID, res.Size, nil, res.Small, res.Large)
	}
	c.session.Trim()
}
