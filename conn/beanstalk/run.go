package beanstalk

import (
	"beanfield/conn/access"
	"beanfield/conn/beanstalk/protocol"
	"beanfield/shard/queue"
)

// maxRun bounds how many commands go to a shard in one batch.
const maxRun = 128

// run is a sequence of consecutive commands for one shard: the batch, and what is
// needed to format the answers.
type run struct {
	queue.Batch
	shard    int
	policy   *access.Policy // by which its operations were judged
	member   bool           // some command needs the session's place in the shard
	counted  bool           // its first command, a put, was counted when its line came
	verbs    []protocol.Verb
	answered int   // how many answers have been worded
	began    int64 // when it was submitted, if its time is taken; otherwise 0
	came     int64 // when it was submitted, if it was not answered at once; otherwise 0
}

// runKeepOps and runKeepBytes are how much memory an unused run may keep. A slice that
// grew to maxRun has room for some more.
const (
	runKeepOps   = 2 * maxRun
	runKeepBytes = 64 << 10
)

// takeRun gets an empty run for a shard. Runs belong to the loop, so that
// idle connections need none.
func (l *loop) takeRun(i int) *run {
	if n := len(l.runs); n > 0 {
		r := l.runs[n-1]
		l.runs = l.runs[:n-1]
		r.shard = i
		return r
	}
	return &run{shard: i}
}

func (l *loop) dropRun(r *run) {
	if cap(r.Ops) > runKeepOps || cap(r.Bytes) > runKeepBytes || len(l.runs) >= 16 {
		return
	}
	if spoil != nil {
		spoil(r.Bytes[:cap(r.Bytes)])
	}
	r.Reset()
	r.verbs = r.verbs[:0]
	r.policy, r.member, r.counted, r.answered, r.began, r.came = nil, false, false, 0, 0, 0
	l.runs = append(l.runs, r)
}

// opFor adds an operation to the connection's run, or reports that the run
// has to be flushed first because it is full or belongs to another shard.
func (c *Conn) opFor(i int, v protocol.Verb) *queue.Op {
	r := c.run
	if r == nil {
		r = c.loop.takeRun(i)
		c.run = r
	} else if r.shard != i || len(r.Ops) >= maxRun {
		return nil
	}
	r.Ops = append(r.Ops, queue.Op{Kind: commands[v].op})
	if c.guard != nil {
		r.Judge, r.policy = c.guard.judge, c.guard.policy
	}
	r.verbs = append(r.verbs, v)
	return &r.Ops[len(r.Ops)-1]
}

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
			timeout := op.Timeout // keepRun may let go of op
			c.session.BeginWait()
			r.answered++
			c.keepRun()
			c.wait(timeout)
			return
		}
		if row.role == producer {
			c.becomeProducer()
		}
		if op.Status != queue.OK {
			c.loop.refuse(protocol.Failures[op.Status])
			if op.Status == queue.Denied {
				c.noteDenied(v, "", op.ID)
			}
			continue
		}
		if audited {
			c.noteDone(row, op)
		}
		if row.role == worker {
			c.becomeWorker()
		}
		if row.reply == nil {
			c.loop.out = append(c.loop.out, row.done...)
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

// keepRun keeps what is left of a run for later, or frees it if nothing is left.
func (c *Conn) keepRun() {
	r := c.run
	if r.Next < len(r.Ops) {
		r.Retain() // it outlives the read buffer
		r.Bytes = r.Bytes[:0]
		return
	}
	c.run = nil
	c.loop.dropRun(r)
}
