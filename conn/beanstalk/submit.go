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
		c.Swift()
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
	audited := c.loop.server.audit != nil
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
			c.beginWaiting(timeout)
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
		switch row.says {
		case saysWord:
			c.loop.Out = append(c.loop.Out, row.head...)
		case saysID:
			c.loop.Out = protocol.AppendNumber(c.loop.Out, row.head, op.ID)
		case saysCount:
			c.loop.Out = protocol.AppendNumber(c.loop.Out, row.head, uint64(op.Count))
		case saysJob:
			c.sayJob(row.head, op.ID, op.Size, nil, r.Small(op), op.Parts)
		default:
			c.sayOther(row, r, op)
		}
		if c.Closed() {
			return
		}
	}
	c.keepRun()
}

// sayOther answers an operation that was carried out and has more to say than a number or a job.
func (c *Conn) sayOther(row *command, r *run, op *queue.Op) {
	l := c.loop
	switch quoting := l.server.opts.Load().Quoting; op.Kind {
	case queue.StatsJob:
		l.Out = protocol.AppendJobStats(l.Out, &r.Jobs[op.From], quoting)
	case queue.StatsTube:
		l.Out = protocol.AppendTubeStats(l.Out, &r.Tubes[op.From], quoting)
	case queue.ReserveSeveral:
		list := r.TakenBy(op)
		l.Out = protocol.AppendNumber(l.Out, row.head, uint64(len(list)))
		for i := range list {
			k := &list[i]
			if op.Parts != nil { // it had to be read, and is alone
				k.Large = op.Parts
			}
			c.sayJob(reserved, k.ID, k.Size, k.About, r.Bytes[k.From:k.To], k.Large)
		}
	}
}

// reserved begins a job in the answer of a reserve.
const reserved = "RESERVED "

// sayJob says a job, with what is told about it; nil if that is nothing. A large body is not copied.
func (c *Conn) sayJob(head string, id uint64, size uint32, about *queue.About, small []byte, large [][]byte) {
	c.loop.Out = protocol.AppendJob(c.loop.Out, head, id, size, about)
	if large == nil {
		c.loop.Out = append(append(c.loop.Out, small...), protocol.CRLF...)
	} else if !c.Closed() {
		c.SendLarge(large)
	}
}

// beginWait notes that an operation has ended in a wait, and says how long that may last. keepRun may let go of the
// operation afterwards.
func (c *Conn) beginWait(v protocol.Verb, op *queue.Op) (timeout int64) {
	c.verb, c.wait.room = v, op.Kind == queue.Put
	if c.wait.room {
		c.wait.tube = op.Tube
	}
	if op.Kind == queue.ReserveSeveral {
		c.session.BeginWaitForSeveral(int(op.Limit), op.Options)
	} else {
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
		c.loop.Out = protocol.AppendNumber(c.loop.Out, "EXISTS ", op.ID)
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
