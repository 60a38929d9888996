package beanstalk

import (
	"beanfield/conn/access"
	"beanfield/conn/beanstalk/protocol"
	"beanfield/conn/slow"
	"beanfield/shard/queue"
)

// beginPut accepts or refuses a put line. If the whole body is there, the put is an
// operation like others, and its shard allots the id. Otherwise the id is allotted
// here, so that ids follow the order of lines and not that of bodies; for this, all
// earlier commands must have been answered. It reports false when the line has to be
// tried again.
func (c *Conn) beginPut(cmd *protocol.Command, data []byte) (rest []byte, ok bool) {
	p := c.incoming(cmd)
	return c.beginIncoming(cmd, &p, data)
}

// beginPutWith does so for a put with options, whose body is thrown away if they are wrong.
func (c *Conn) beginPutWith(cmd *protocol.Command, data []byte) (rest []byte, ok bool) {
	l := &c.loop.putLine
	if !l.Read(cmd.Options) && int(cmd.Size) <= c.loop.server.opts.Load().MaxJobSize {
		if !c.flush() {
			return data, false
		}
		c.loop.count(cmd.Verb)
		c.skip.refused(int64(cmd.Size)+2, cmd.Verb)
		c.tellRefused(slow.Option, nil)
		return data, true
	}
	p := incoming{verb: cmd.Verb, tube: c.session.Used(), pri: l.Pri, delay: l.Delay, ttr: l.TTR, size: int(cmd.Size),
		options: &l.Options}
	if len(l.Tube) == 0 {
		l.Tube = append(l.Tube, p.tube...)
		p.shard = c.session.UsedShard()
	} else {
		p.tube, p.shard = string(l.Tube), c.loop.server.router.TubeShard(l.Tube)
	}
	cmd.Name = l.Tube
	return c.beginIncoming(cmd, &p, data)
}

func (c *Conn) beginIncoming(cmd *protocol.Command, p *incoming, data []byte) (rest []byte, ok bool) {
	size := p.size
	tooBig := size > c.loop.server.opts.Load().MaxJobSize
	if !tooBig && !cmd.Trailing && len(data) >= size+2 && string(data[size:size+2]) == protocol.CRLF {
		if !c.runPut(cmd, p, data[:size]) {
			return data, false
		}
		return data[size+2:], true
	}
	if !c.flush() {
		return data, false
	}
	c.loop.count(cmd.Verb)
	switch {
	case tooBig:
		c.skip.body(int64(size) + 2)
		c.tellRefused(slow.TooBig, nil)
	case cmd.Trailing:
		c.refuse(protocol.BadFormat, slow.Malformed, nil)
	case c.guard != nil && !c.allowed(cmd) && (!c.login || p.tube != "" || size > access.LongestShown):
		c.shownNothing(p)
		c.noteDenied(p.verb, c.tubeOf(p.verb, cmd.Name), 0, slow.Right, nil)
		c.skip.refused(int64(size)+2, p.verb)
	default:
		c.becomeProducer()
		p.id = c.session.NewIDIn(p.shard)
		c.gather(p)
		if p.options != nil {
			c.put.options = new(queue.Options)
			c.put.options.Copy(p.options)
		}
	}
	return data, true
}

// incoming is the put of a line.
func (c *Conn) incoming(cmd *protocol.Command) incoming {
	p := incoming{verb: cmd.Verb, pri: cmd.Pri, delay: cmd.Delay, ttr: max(cmd.TTR, 1), size: int(cmd.Size)}
	if cmd.Verb == verbPut {
		p.shard = c.session.UsedShard()
	} else {
		p.options = exactly(cmd)
		p.tube, p.shard = string(cmd.Name), c.loop.server.router.TubeShard(cmd.Name)
	}
	return p
}

// exactly is what a line says of times that have fractions of seconds; nil if they have none.
func exactly(cmd *protocol.Command) *queue.Options {
	if cmd.ExactDelay%second == 0 && cmd.ExactTTR%second == 0 {
		return nil
	}
	return &queue.Options{Delay: cmd.ExactDelay, TTR: protocol.LeastTTR(cmd.ExactTTR)}
}

// shownNothing notes that the first put, by which a client may log in, has come and shown no token.
func (c *Conn) shownNothing(p *incoming) { c.mayShow = c.mayShow && p.tube != "" }

// runPut runs a put whose body is there. It reports false when the put has to be tried again.
func (c *Conn) runPut(cmd *protocol.Command, p *incoming, body []byte) bool {
	kind := plainPut
	if c.guard != nil {
		kind = c.kindOfPut(p, body)
	}
	if kind == showsToken {
		return c.logInByPut(body)
	}
	if c.guard != nil && (kind == exposesToken || !c.allowed(cmd)) {
		why := slow.Right
		if kind == exposesToken {
			why = slow.Exposed
		}
		if !c.deny(cmd, why) {
			return false
		}
		c.shownNothing(p)
		return true
	}
	if !c.admit(p, body) {
		c.flush()
		return false
	}
	c.shownNothing(p)
	return true
}

// fillPut takes bytes of the body that is arriving. It reports false when data does
// not complete it.
func (c *Conn) fillPut(data []byte) (rest []byte, complete bool) {
	p, ok := c.put, false
	for p.got < p.size && len(data) > 0 {
		if data, ok = p.take(data); !ok {
			c.dropPut()
			c.skip = skipper{bytes: int64(p.size-p.got) + 2, word: protocol.OutOfMemory}
			return data, true
		}
	}
	if p.got == p.size {
		n := copy(p.tail[p.tailGot:], data)
		p.tailGot += n
		data = data[n:]
	}
	if p.tailGot < len(p.tail) {
		return data, false
	}
	if string(p.tail[:]) != protocol.CRLF {
		c.dropPut()
		c.refuse(protocol.ExpectedCRLF, slow.NoCRLF, p.line())
		return data, true
	}
	p.held.End()
	c.put = nil
	kind, name, isWhole := plainPut, []byte(p.tube), commands[p.verb].whole != nil
	denied := c.guard != nil && !c.allowed(&protocol.Command{Verb: p.verb, Name: name})
	switch {
	case isWhole && !denied:
		body := c.loop.join(p)
		if c.takeWhole(p, body); spoil != nil {
			spoil(body)
		}
		return data, true
	case !isWhole && c.guard != nil && p.size > 0:
		kind = c.kindOfPut(p, p.parts[0])
	}
	if kind == showsToken {
		token, _ := access.Shown(p.parts[0])
		c.logIn(token, p.id)
		return data, true
	}
	c.shownNothing(p)
	if denied || kind == exposesToken {
		p.giveUp(c.loop.server.router)
		why := slow.Exposed
		if denied {
			why = slow.Right
		}
		tube := c.tubeOf(p.verb, name)
		c.noteDenied(p.verb, tube, 0, why, lineOf(p.verb, tube, 0))
		c.loop.refuse(commands[p.verb].refused)
		return data, true
	}
	// There is room, because beginPut has flushed the run. The id cannot be lost with
	// the run either: nothing between this and the run's flush can close the
	// connection.
	c.admit(p, nil)
	c.run.counted = true
	return data, true
}

// admit turns a complete put into an operation of the run, or reports that
// the run has to be flushed first. body is borrowed; the parts are given away.
func (c *Conn) admit(p *incoming, body []byte) bool {
	op := c.opFor(p.shard, p.verb)
	if op == nil {
		return false
	}
	op.Tube, op.ID, op.Pri, op.Delay, op.TTR, op.Size = p.tube, p.id, p.pri, p.delay, p.ttr, uint32(p.size)
	op.Data, op.Parts = body, p.parts
	if p.options != nil {
		op.Options = c.run.copyOptions(p.options)
	}
	c.run.member = c.run.member || p.tube == "" || p.options != nil && p.options.Timeout > 0
	return true
}
