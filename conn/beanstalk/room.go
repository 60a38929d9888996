package beanstalk

import (
	"beanfield/conn/access"
	"beanfield/conn/beanstalk/protocol"
	"beanfield/conn/slow"
	"beanfield/shard/queue"
)

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
