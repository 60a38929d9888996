package beanstalk

import (
	"beanfield/conn/access"
	"beanfield/conn/beanstalk/protocol"
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

// entryOptions are those of a single job in a batch.
var entryOptions = []protocol.Option[queue.Op]{
	{Name: "tube", Set: func(op *queue.Op, _, value []byte) bool {
		name, ok := protocol.Unescape(nil, value)
		op.Tube = string(name)
		return ok && queue.ValidName(name)
	}},
}

func (c *Conn) takePuts(p *incoming, body []byte) {
	v := &router.Puts{All: p.all}
	var ok bool
	if v.Ops, ok = readEntries(body); !ok {
		c.loop.refuse(protocol.BadFormat)
		return
	}
	c.loop.effort -= len(v.Ops)
	refused := c.judgePuts(v)
	switch {
	case !v.All:
	case refused != queue.OK:
		c.loop.refuse(wordOfPut(refused))
		return
	case !c.session.Together(v):
		c.loop.refuse(protocol.NotTogether)
		return
	}
	c.becomeProducer()
	c.finish(callSession, c.session.PutMany(v))
}

// readEntries reads the jobs of a batch. They borrow their bodies from it.
func readEntries(body []byte) (puts []queue.Op, ok bool) {
	for len(body) > 0 {
		e, rest, ok := protocol.NextEntry(body)
		if !ok || len(puts) == protocol.MostSeveral {
			return nil, false
		}
		if puts == nil { // the others are about as long as the first, mostly
			puts = make([]queue.Op, 0, min(protocol.MostSeveral, len(body)/(len(body)-len(rest))+2))
		}
		puts = append(puts, queue.Op{Kind: queue.Put, Pri: e.Pri, Delay: e.Delay, TTR: max(e.TTR, 1), Size: uint32(len(e.Data)), Data: e.Data})
		if len(e.Options) > 0 && !protocol.Read(e.Options, entryOptions, &puts[len(puts)-1]) {
			return nil, false
		}
		body = rest
	}
	return puts, true
}

// judgePuts gives a status to the puts that are refused here, and says which the first one has.
func (c *Conn) judgePuts(v *router.Puts) (first queue.Status) {
	most, denied := c.loop.server.opts.Load().MaxJobSize, 0
	for i := range v.Ops {
		op := &v.Ops[i]
		switch {
		case int(op.Size) > most:
			op.Status = queue.TooLong
		case c.guard != nil && !c.mayPut(op):
			op.Status = queue.Denied
			denied++
		}
		if first == queue.OK {
			first = op.Status
		}
	}
	if denied > 0 {
		c.loop.countDenied(c.verb)
		c.tellOfSeveral(denied, true)
	}
	return first
}

// mayPut says whether the client has the right to put a job, and whether the job is none that shows a token.
func (c *Conn) mayPut(op *queue.Op) bool {
	may := c.guard.used
	if op.Tube != "" {
		may = c.guard.subject.May(op.Tube)
	}
	return may.Has(access.Put) && c.kindOfPut(&incoming{tube: anyTube, size: int(op.Size)}, op.Data) == plainPut
}

// anyTube stands for the name of a tube: whoever puts with one does not log in.
const anyTube = "any"

// wordOfPut is how a put is refused.
func wordOfPut(s queue.Status) protocol.Word {
	switch s {
	case queue.TooLong:
		return protocol.JobTooBig
	case queue.Denied:
		return protocol.BadFormat
	}
	return protocol.Failures[s]
}

// sayPuts answers each put. If it was all or none, and none, there is one answer.
func (c *Conn) sayPuts() {
	v := c.session.Puts
	c.session.Trim()
	if v.All && len(v.Ops) > 0 && v.Ops[0].Status != queue.OK {
		c.loop.refuse(wordOfPut(v.Ops[0].Status))
		return
	}
	c.loop.out = protocol.AppendNumber(c.loop.out, "INSERTED_BATCH ", uint64(len(v.Ops)))
	for i := range v.Ops {
		if op := &v.Ops[i]; op.Status == queue.OK {
			c.loop.out = protocol.AppendNumber(c.loop.out, "INSERTED ", op.ID)
		} else {
			c.loop.refuse(wordOfPut(op.Status))
		}
	}
}
