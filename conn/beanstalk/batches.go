package beanstalk

import (
	"fmt"

	"beanfield/conn/access"
	"beanfield/conn/audit"
	"beanfield/conn/beanstalk/protocol"
	"beanfield/conn/slow"
	"beanfield/router"
	"beanfield/shard/queue"
)

// put-batch puts many jobs. Its body is read to the end first: if anything in it is malformed, nothing is
// put. A job that may not be put for another reason does not keep the others from being put, unless the
// client wants all or none.

var batchOptions = []protocol.Option[incoming]{
	{Name: "all", Set: func(p *incoming, _, value []byte) bool {
		p.all = string(value) == "true"
		return p.all || string(value) == "false"
	}},
}

func (c *Conn) takePuts(p *incoming, body []byte) {
	v := &router.Puts{All: p.all}
	var ok bool
	if v.Ops, ok = c.loop.readEntries(body); !ok {
		c.refuse(protocol.BadFormat, slow.Body, p.line())
		return
	}
	c.loop.Effort -= len(v.Ops)
	refused := c.judgePuts(v)
	switch {
	case !v.All:
	case refused != nil:
		c.sayPut(refused)
		return
	case !c.session.Together(v):
		c.refuse(protocol.NotTogether, slow.Together, p.line())
		return
	}
	c.becomeProducer()
	c.finish(callSession, c.session.PutMany(v))
}

// readEntries reads the jobs of a batch. They borrow their bodies from it, and nothing else.
func (l *loop) readEntries(body []byte) (puts []queue.Op, ok bool) {
	p := &l.putLine
	for len(body) > 0 {
		data, rest, ok := p.Next(body)
		if !ok || len(puts) == protocol.MostSeveral {
			return nil, false
		}
		if puts == nil { // the others are about as long as the first, mostly
			puts = make([]queue.Op, 0, min(protocol.MostSeveral, len(body)/(len(body)-len(rest))+2))
		}
		op := queue.Op{Kind: queue.Put, Tube: string(p.Tube), Pri: p.Pri, Delay: p.Delay, TTR: p.TTR,
			Size: uint32(len(data)), Data: data}
		if !p.Plain() {
			op.Options = new(queue.Options)
			op.Options.Copy(&p.Options)
		}
		puts, body = append(puts, op), rest
	}
	return puts, true
}

// judgePuts gives a status to the puts that are refused here, and finds the first of them.
func (c *Conn) judgePuts(v *router.Puts) (first *queue.Op) {
	most, large, denied, reason := c.loop.server.opts.Load().MaxJobSize, 0, 0, slow.Right
	for i := range v.Ops {
		op := &v.Ops[i]
		switch {
		case int(op.Size) > most:
			op.Status = queue.TooLong
			large++
		case c.guard != nil:
			if why, may := c.mayPut(op); !may {
				op.Status, reason = queue.Denied, why
				denied++
			}
		}
		if first == nil && op.Status != queue.OK {
			first = op
		}
	}
	if denied > 0 {
		c.loop.countDenied(c.verb)
		c.tellOfSeveral(denied, true)
		c.tellRefused(reason, someOf(c.verb, denied))
	}
	if large > 0 {
		c.tellRefused(slow.TooBig, someOf(c.verb, large))
	}
	return first
}

// mayPut says whether the client may put a job, or why not.
func (c *Conn) mayPut(op *queue.Op) (why slow.Reason, may bool) {
	rights := c.guard.used
	if op.Tube != "" {
		rights = c.guard.subject.May(op.Tube)
	}
	if !rights.Has(access.Put) {
		return slow.Right, false
	}
	return slow.Exposed, c.tokenIn(c.verb, int(op.Size), op.Data) == granted
}

// sayPuts answers each put. If it was all or none, and none, there is one answer.
func (c *Conn) sayPuts() {
	v := c.session.Puts
	c.session.Trim()
	if v.All && len(v.Ops) > 0 && v.Ops[0].Status != queue.OK {
		c.sayPut(&v.Ops[0])
		return
	}
	c.loop.Out = protocol.AppendNumber(c.loop.Out, "INSERTED_BATCH ", uint64(len(v.Ops)))
	for i := range v.Ops {
		c.sayPut(&v.Ops[i])
	}
}

// sayPut answers one put.
func (c *Conn) sayPut(op *queue.Op) {
	switch {
	case op.Status == queue.OK:
		c.loop.Out = protocol.AppendNumber(c.loop.Out, "INSERTED ", op.ID)
	case op.Status == queue.TooLong:
		c.loop.refuse(protocol.JobTooBig)
	case op.Status == queue.Denied:
		c.loop.refuse(protocol.BadFormat)
	case op.Status == queue.Exists && op.ID == 0: // by another job of the batch
		c.refuse(protocol.BadFormat, slow.Together, lineOf(c.verb, op.Tube, 0))
	default:
		c.sayFailed(op)
	}
}

// idList is the body of a command for several jobs.
func idList(options ...protocol.Option[incoming]) *body {
	return &body{most: protocol.MostList, tooLong: protocol.BadFormat, options: options, take: (*Conn).takeIDs}
}

// touchTTR is the time for which jobs are touched.
var touchTTR = protocol.TimeOption("ttr", protocol.SomeTime, func(p *incoming, ns int64) {
	p.options = &queue.Options{TTR: ns}
})

func (c *Conn) takeIDs(p *incoming, body []byte) {
	var ok bool
	if c.loop.ids, ok = protocol.IDs(c.loop.ids[:0], body); !ok {
		c.refuse(protocol.BadFormat, slow.Body, p.line())
		return
	}
	c.loop.Effort -= len(c.loop.ids)
	var authorizer queue.Authorizer
	if c.guard != nil {
		authorizer = c.guard.authorizer
	}
	op := queue.Op{Kind: commands[p.verb].op, Pri: p.pri, Delay: p.delay, Options: p.options}
	c.finish(callSession, c.session.DoSeveral(op, c.loop.ids, authorizer))
}

// sayDid answers a command for several jobs.
func (c *Conn) sayDid() {
	d := c.session.Did()
	if d.Denied > 0 {
		c.loop.countDenied(c.verb)
		c.tellOfSeveral(d.Denied, true)
		c.tellRefused(slow.Right, someOf(c.verb, d.Denied))
	}
	if d.Failed {
		c.loop.refuse(protocol.InternalError)
		return
	}
	c.loop.Out = protocol.AppendNumbers(c.loop.Out, commands[c.verb].head, uint64(d.Done), uint64(d.Not))
	if d.Others > 0 {
		c.tellOfSeveral(d.Others, false)
	}
}

// tellOfSeveral tells the audit log about a command for several jobs, if there is one.
func (c *Conn) tellOfSeveral(jobs int, refused bool) {
	if c.loop.server.audit != nil {
		c.tell(audit.Event{What: commands[c.verb].name, Detail: fmt.Sprintf("%d jobs", jobs), Refused: refused})
	}
}
