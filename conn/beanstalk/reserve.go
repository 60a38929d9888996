package beanstalk

import (
	"beanfield/conn/beanstalk/protocol"
	"beanfield/shard/queue"
)

// reserve runs all reserves but that of a certain job. In the usual case, all watched tubes in one
// shard, it is an operation of the run like others.
func (c *Conn) reserve(cmd *protocol.Command) bool {
	timeout := cmd.N
	if cmd.Verb == verbReserve {
		timeout = forever
	}
	if c.session.ReserveInPlace() {
		op := c.opFor(c.session.WatchShard(), cmd.Verb)
		if op == nil {
			c.flush()
			return false
		}
		op.Poll = timeout == 0
		op.Timeout, op.Limit = timeout, cmd.Several
		c.run.member = true
		c.becomeWorker()
		return true
	}
	if !c.flush() {
		return false
	}
	c.becomeWorker()
	c.loop.count(cmd.Verb)
	c.wake.timeout = timeout
	if cmd.Verb == verbSeveral {
		c.finish(callReserve, c.session.ReserveSeveral(int(cmd.Several), timeout == 0))
	} else {
		c.finish(callReserve, c.session.Reserve(timeout == 0))
	}
	return true
}

// saySeveral answers a reserve of several jobs in one shard.
func (c *Conn) saySeveral(r *run, op *queue.Op) {
	list := r.Taken[op.From:op.To]
	c.sayHowMany(len(list))
	for i := range list {
		k := &list[i]
		if op.Parts != nil { // it had to be read, and is alone
			k.Large = op.Parts
		}
		c.sayReserved(k.ID, k.Size, r.Bytes[k.From:k.To], k.Large)
	}
}

func (c *Conn) sayHowMany(n int) {
	c.loop.out = protocol.AppendNumber(c.loop.out, "RESERVED_BATCH ", uint64(n))
}

func (c *Conn) sayReserved(id uint64, size uint32, small []byte, large [][]byte) {
	c.loop.out, large = protocol.AppendJob(c.loop.out, "RESERVED ", id, size, small, large)
	if large != nil && !c.closed {
		c.sendLarge(large)
	}
}

// answerReserve answers a reserve over several shards, or one that has waited; or
// begins the wait.
func (c *Conn) answerReserve() {
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
		c.sayHowMany(len(v.Jobs))
		for _, j := range v.Jobs {
			c.sayReserved(j.ID, j.Size, j.Small, j.Large)
		}
	} else {
		c.sayReserved(res.ID, res.Size, res.Small, res.Large)
	}
	c.session.Trim()
}
