package beanstalk

import (
	"cmp"

	"beanfield/conn"
	"beanfield/conn/access"
	"beanfield/conn/beanstalk/event"
	"beanfield/conn/beanstalk/protocol"
	"beanfield/conn/slow"
	"beanfield/router"
	"beanfield/shard/queue"
)

// body is what a command has in its row whose body is no job's, but says what the command is to do. It is run when all
// of its body is there, and before that nobody knows whether there is anything wrong in it.
type body struct {
	most    int // how long it may be
	tooLong protocol.Word
	options []protocol.Option[incoming]
	take    func(c *Conn, p *incoming, body []byte) // body is borrowed
}

// incoming is what the line of a put, or of another command with a body, says.
type incoming struct {
	verb            protocol.Verb
	shard           int
	tube            string // that the line names; "": the one in use, or none
	id              uint64 // 0 until it is known, and for what is no put
	pri, delay, ttr uint32
	options         *queue.Options // of a put with options; the loop's until the put has its id; or of touch-batch
	size            int
	policies        *policyChange // of set-policies
	all             bool          // put-batch: all or none
}

// gathering is one whose body has not arrived completely. Memory is taken as the bytes come, in parts, so that
// announcing a gigabyte costs nothing and growing copies nothing.
type gathering struct {
	incoming
	got     int        // bytes of the body
	parts   [][]byte   // copies (B3)
	held    conn.Share // the bytes of these
	tail    [2]byte    // what stands where CRLF should
	tailGot int
}

// beginBody accepts or refuses the line of a command with a body. The line says how long the body is, so whatever is
// wrong with either, the connection stays in step.
//
// If the whole body of a put is there, the put is an operation like others, and its shard allots the id. Otherwise the
// id is allotted here, so that ids follow the order of lines and not that of bodies; for this, all earlier commands
// must have been answered. It reports false when the line has to be tried again.
func (c *Conn) beginBody(cmd *protocol.Command, data []byte) (rest []byte, ok bool) {
	p, good := &c.loop.arriving, c.readIncoming(cmd)
	row, size := &commands[p.verb], p.size
	b, most, tooLong := row.body, c.loop.server.opts.Load().MaxJobSize, protocol.JobTooBig
	if b != nil {
		most, tooLong = b.most, b.tooLong
	}
	there := !cmd.Trailing && len(data) >= size+2
	ends := there && string(data[size:size+2]) == protocol.CRLF
	if b == nil && good && size <= most && ends {
		if !c.runPut(p, data[:size]) {
			return data, false
		}
		return data[size+2:], true
	}
	if !c.counted(p.verb) {
		return data, false
	}
	denied := c.guard != nil && !c.allowed(p.verb, p.tube)
	switch {
	case !good && (b != nil || size <= most):
		c.skipBody(size, protocol.BadFormat, slow.Option)
	case size > most && !(b != nil && denied):
		c.skipBody(size, tooLong, slow.TooBig)
	case cmd.Trailing:
		c.refuse(protocol.BadFormat, slow.Malformed, nil)
	case denied && (p.verb != verbPut || !c.login || size > access.LongestShown):
		c.forgoLogin(p)
		c.noteDenied(p.verb, c.tubeOf(p.verb, p.tube), 0, slow.Right, nil)
		c.skip = skipper{bytes: int64(size) + 2, word: row.refused}
	case b == nil:
		c.becomeProducer()
		p.id = c.session.NewIDIn(p.shard)
		c.gather(p)
	case !there:
		c.gather(p)
	case !ends:
		c.refuse(protocol.ExpectedCRLF, slow.NoCRLF, nil)
		return data[size+2:], true
	default:
		c.take(p, data[:size])
		return data[size+2:], true
	}
	return data, true
}

// readIncoming reads what a line says of its body, and of what is to become of it. It reports false if an option is
// wrong.
func (c *Conn) readIncoming(cmd *protocol.Command) (good bool) {
	p, row := &c.loop.arriving, &commands[cmd.Verb]
	*p = incoming{verb: cmd.Verb, pri: cmd.Pri, delay: cmd.Delay, ttr: max(cmd.TTR, 1), size: int(cmd.Size)}
	if len(cmd.Name) > 0 {
		p.tube = string(cmd.Name)
	}
	if cmd.ExactDelay|cmd.ExactTTR != 0 {
		p.options = exactly(cmd)
	}
	switch {
	case row.body != nil:
		return protocol.Read(cmd.Options, row.body.options, p)
	case row.options != nil: // those of a put
		l := &c.loop.putLine
		good = l.Read(cmd.Options)
		p.pri, p.delay, p.ttr, p.options = l.Pri, l.Delay, l.TTR, &l.Options
		p.tube = cmp.Or(string(l.Tube), c.session.Used())
	default:
		good = true
	}
	c.route(p)
	return good
}

// route finds the shard of a put.
func (c *Conn) route(p *incoming) {
	if p.tube == "" {
		p.shard = c.session.UsedShard()
	} else {
		p.shard = c.loop.server.router.TubeShard([]byte(p.tube))
	}
}

// exactly is what a line says of times that have fractions of seconds; nil if they have none.
func exactly(cmd *protocol.Command) *queue.Options {
	if cmd.ExactDelay%second == 0 && cmd.ExactTTR%second == 0 {
		return nil
	}
	return &queue.Options{Delay: cmd.ExactDelay, TTR: protocol.LeastTTR(cmd.ExactTTR)}
}

// gather makes a command the one whose body is arriving.
func (c *Conn) gather(p *incoming) {
	c.put = &gathering{incoming: *p}
	c.put.held.Of, c.put.held.By = &c.loop.server.bodies, c
	if p.options != nil {
		c.put.options = new(queue.Options)
		c.put.options.Copy(p.options)
	}
}

// gatherMore takes bytes of the body that is arriving. It reports false when data does not complete it.
func (c *Conn) gatherMore(data []byte) (rest []byte, complete bool) {
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
	c.put = nil
	p.held.End()
	c.gathered(p)
	return data, true
}

// gathered runs a command whose body has arrived in parts. Its line has been counted.
func (c *Conn) gathered(p *gathering) {
	var first []byte
	if p.size > 0 {
		first = p.parts[0]
	}
	why := c.refusalOf(&p.incoming, first)
	switch {
	case why == slow.Token:
		token, _ := access.Shown(first)
		c.logIn(token, p.id)
		return
	case why != granted:
		p.giveUp(c.loop.server.router)
		tube := c.tubeOf(p.verb, p.tube)
		c.noteDenied(p.verb, tube, 0, why, lineOf(p.verb, tube, 0))
		c.loop.refuse(commands[p.verb].refused)
	case commands[p.verb].body == nil:
		// There is room, because beginBody has flushed the run. The id cannot be lost with the run either: nothing
		// between this and the run's flush can close the connection.
		c.admit(&p.incoming, nil, p.parts)
		c.run.counted = true
	default:
		body := c.loop.join(p)
		if c.take(&p.incoming, body); event.Spoil != nil {
			event.Spoil(body)
		}
	}
	c.forgoLogin(&p.incoming)
}

// take runs a command whose body says what it is to do.
func (c *Conn) take(p *incoming, body []byte) {
	c.loop.Effort -= effortAlone - 1
	c.verb = p.verb
	commands[p.verb].body.take(c, p, body)
}

// runPut runs a put whose body is there. It reports false when the put has to be tried again.
func (c *Conn) runPut(p *incoming, body []byte) bool {
	why := granted
	if c.guard != nil {
		why = c.refusalOf(p, body)
	}
	switch why {
	case granted:
		if !c.admit(p, body, nil) {
			c.flush()
			return false
		}
	case slow.Token:
		return c.logInByPut(body)
	default:
		if !c.deny(p.verb, p.tube, why) {
			return false
		}
	}
	c.forgoLogin(p)
	return true
}

// admit turns a complete put into an operation of the run, or reports that
// the run has to be flushed first. body is borrowed; the parts are given away.
func (c *Conn) admit(p *incoming, body []byte, parts [][]byte) bool {
	op := c.opFor(p.shard, p.verb)
	if op == nil {
		return false
	}
	op.Tube, op.ID, op.Pri, op.Delay, op.TTR, op.Size = p.tube, p.id, p.pri, p.delay, p.ttr, uint32(p.size)
	op.Data, op.Parts = body, parts
	if p.options != nil {
		op.Options = c.run.copyOptions(p.options)
	}
	c.run.member = c.run.member || p.tube == "" || p.options != nil && p.options.Timeout > 0
	return true
}

// joinKeep is how large a buffer for joined bodies a loop keeps.
const joinKeep = 128 << 10

// join is a body that has come in parts, in the loop's memory (B3).
func (l *loop) join(p *gathering) []byte {
	if len(p.parts) == 1 {
		return p.parts[0]
	}
	whole := l.joined[:0]
	if cap(whole) < p.size {
		whole = make([]byte, 0, p.size)
	}
	for _, part := range p.parts {
		whole = append(whole, part...)
	}
	if l.joined = nil; cap(whole) <= joinKeep {
		l.joined = whole
	}
	return whole
}

// Sizes of the parts of a body that does not come in one piece.
const (
	firstPart = 4 << 10
	lastPart  = 1 << 20
)

// take appends some of data to the body. It reports false if the bodies that are arriving, or those of this client,
// have taken too much.
func (p *gathering) take(data []byte) (rest []byte, ok bool) {
	last := len(p.parts) - 1
	if last < 0 || len(p.parts[last]) == cap(p.parts[last]) {
		n := min(max(p.got, firstPart), lastPart, p.size-p.got)
		if !p.held.Grow(n) {
			return data, false
		}
		p.parts = append(p.parts, make([]byte, 0, n))
		last++
	}
	part := p.parts[last]
	n := min(cap(part)-len(part), len(data))
	p.parts[last] = append(part, data[:n]...)
	p.got += n
	return data[n:], true
}

// Peer is who the client is.
func (c *Conn) Peer() conn.Peer {
	if c.from != nil {
		return *c.from
	}
	return conn.PeerOf(c.FD())
}

// giveUp ends the id of a put that never becomes a job.
func (p *gathering) giveUp(r *router.Router) {
	if p.id != 0 { // not of another command
		r.EndID(p.id)
	}
	p.held.End()
}

// dropPut gives up the command whose body is arriving.
func (c *Conn) dropPut() {
	c.put.giveUp(c.loop.server.router)
	c.put = nil
}

// policyChange is a change of the policies that is asked for, and then its result.
type policyChange struct {
	version string // of the policies that it was made from; "": whatever they are now
	done    conn.PolicyChange
	err     error
}
