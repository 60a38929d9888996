package beanstalk

import (
	"fmt"

	"beanfield/conn/audit"
	"beanfield/conn/beanstalk/protocol"
	"beanfield/conn/slow"
	"beanfield/shard/queue"
)

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
	c.loop.effort -= len(c.loop.ids)
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
	c.loop.out = protocol.AppendNumbers(c.loop.out, commands[c.verb].head, uint64(d.Done), uint64(d.Not))
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
