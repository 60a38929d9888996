package beanstalk

import (
	"beanfield/conn/beanstalk/protocol"
	"beanfield/shard/queue"
)

// reserve runs both reserves. In the usual case, all watched tubes in one
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
		op.Timeout = timeout
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
	c.finish(callReserve, c.session.Reserve(timeout == 0))
	return true
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
	var large [][]byte
	c.loop.out, large = protocol.AppendJob(c.loop.out, "RESERVED ", res.ID, res.Size, res.Small, res.Large)
	if large != nil {
		c.sendLarge(large)
	}
	c.session.Trim()
}
