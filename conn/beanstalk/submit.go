package beanstalk

import (
	"beanfield/conn/beanstalk/protocol"
	"beanfield/conn/slow"
	"beanfield/shard/queue"
)

// flush submits the run and formats the answers that have come. It reports whether
// the connection may go on with its next command.
func (c *Conn) flush() bool {
	for c.run != nil {
		c.loop.sample(c.run)
		c.run.Began, c.run.Ended = 0, 0
		if !c.session.Submit(c.run.shard, &c.run.Batch, c.run.member) {
			c.await(callRun)
			c.run.came = c.came
			return false
		}
		c.swift()
		c.answerRun()
		if !c.ready() {
			return false
		}
	}
	return true
}

// answerRun formats the answers of a run that has come back: complete, or stopped at
// a reserve that waits or because its answers were getting large.
func (c *Conn) answerRun() {
	r := c.run
	if r.began != 0 {
		c.loop.sampled(r)
	}
	if bound := c.loop.slowFrom(); bound > 0 && r.answered < r.Next {
		c.timeRun(r, bound)
	}
	audited, quoting := c.loop.server.audit != nil, c.loop.server.opts.Load().Quoting
	for ; r.answered < r.Next; r.answered++ {
		op, v := &r.Ops[r.answered], r.verbs[r.answered]
		row := &commands[v]
		if !r.counted || r.answered > 0 {
			c.loop.count(v)
		}
		if op.Status == queue.Waiting {
			timeout := c.beginWait(v, op)
			r.answered++
			c.keepRun()
			c.wait(timeout)
			return
		}
		if row.role == producer {
			c.becomeProducer()
		}
		if op.Status != queue.OK {
			c.answerFailed(v, op)
			continue
		}
		if audited {
			c.noteDone(row, op)
		}
		if row.role == worker {
			c.becomeWorker()
		}
		if row.reply == nil {
			if c.loop.out = append(c.loop.out, row.done...); row.say != nil {
				row.say(c, r, op)
			}
			continue
		}
		var large [][]byte
		c.loop.out, large = row.reply(c.loop.out, &r.Batch, op, quoting)
		if large != nil {
			c.sendLarge(large)
		}
		if c.closed {
			return
		}
	}
	c.keepRun()
}

// beginWait notes that an operation has ended in a wait, and says how long that may last. keepRun may let go of the
// operation afterwards.
func (c *Conn) beginWait(v protocol.Verb, op *queue.Op) (timeout int64) {
	c.wake.room = op.Kind == queue.Put
	switch {
	case c.wake.room:
		c.verb, c.wake.tube = v, op.Tube
		c.session.BeginWait()
	case op.Kind == queue.ReserveSeveral:
		c.session.BeginWaitForSeveral(int(op.Limit), op.Options)
	default:
		c.session.BeginWait()
	}
	if op.Options != nil {
		return op.Options.Timeout
	}
	return lasting(op.Timeout)
}

// answerFailed words the end of an operation that was not carried out.
func (c *Conn) answerFailed(v protocol.Verb, op *queue.Op) {
	if op.Status == queue.Denied {
		c.noteDenied(v, "", op.ID, slow.Right, lineOf(v, "", op.ID))
	}
	c.sayFailed(op)
}

func (c *Conn) sayFailed(op *queue.Op) {
	if op.Status == queue.Exists {
		c.loop.out = protocol.AppendNumber(c.loop.out, "EXISTS ", op.ID)
		return
	}
	c.loop.refuse(protocol.Failures[op.Status])
}

// keepRun keeps what is left of a run for later, or frees it if nothing is left.
func (c *Conn) keepRun() {
	r := c.run
	if r.Next < len(r.Ops) {
		r.Retain() // it outlives the read buffer
		r.Bytes = r.Bytes[:0]
		clear(r.Taken)
		r.Taken = r.Taken[:0]
		return
	}
	c.run = nil
	c.loop.dropRun(r)
}
