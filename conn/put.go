package conn

// incoming is a put whose line has been accepted and whose body has not
// arrived completely. Memory is taken as the bytes come, in parts, so that a
// promise of a gigabyte costs nothing and growing copies nothing.
type incoming struct {
	id              uint64
	pri, delay, ttr uint32
	size            int
	got             int // bytes of the body
	parts           [][]byte
	tail            [2]byte // what stands where CRLF should
	tailGot         int
}

// Sizes of the parts of a body that does not come in one piece.
const (
	firstPart = 4 << 10
	lastPart  = 1 << 20
)

// beginPut accepts or refuses a put line, and takes the body if all of it is
// there. The id is allotted here, so ids follow the order of lines, not that
// of bodies. It reports false when the line has to be tried again.
func (c *Conn) beginPut(cmd *command, data []byte) (rest []byte, ok bool) {
	s := c.loop.server
	size := int(cmd.size)
	var refusal word
	complete := false
	switch {
	case size > s.opts.MaxJobSize:
		refusal = jobTooBig
	case cmd.trailing:
		refusal = badFormat
	case len(data) >= size+2:
		complete = true
		refusal = s.refusal(data[size : size+2])
	}
	if r := c.run; r != nil && (refusal != "" || r.blocking || r.shard != c.session.UsedShard() || len(r.Ops) >= maxRun) {
		if !c.flush() {
			return data, false
		}
	}
	c.loop.count(verbPut)
	switch {
	case refusal == jobTooBig:
		c.skip.body(int64(size) + 2)
		return data, true
	case refusal == badFormat:
		c.loop.out = append(c.loop.out, badFormat...)
		return data, true
	}
	c.becomeProducer()
	p := incoming{id: c.session.NewID(), pri: cmd.pri, delay: cmd.delay, ttr: max(cmd.ttr, 1), size: size}
	if !complete {
		c.put = &incoming{}
		*c.put = p
		return data, true
	}
	c.admit(&p, refusal, data[:size])
	return data[size+2:], true
}

// fillPut takes bytes of the body that is on its way. It reports false when
// data was not enough.
func (c *Conn) fillPut(data []byte) (rest []byte, complete bool) {
	p := c.put
	for p.got < p.size && len(data) > 0 {
		data = p.take(data)
	}
	if p.got == p.size {
		n := copy(p.tail[p.tailGot:], data)
		p.tailGot += n
		data = data[n:]
	}
	if p.tailGot < len(p.tail) {
		return data, false
	}
	c.put = nil
	c.admit(p, c.loop.server.refusal(p.tail[:]), nil)
	return data, true
}

// take appends some of data to the body.
func (p *incoming) take(data []byte) (rest []byte) {
	last := len(p.parts) - 1
	if last < 0 || len(p.parts[last]) == cap(p.parts[last]) {
		n := min(max(p.got, firstPart), lastPart, p.size-p.got)
		p.parts = append(p.parts, make([]byte, 0, n))
		last++
	}
	part := p.parts[last]
	n := min(cap(part)-len(part), len(data))
	p.parts[last] = append(part, data[:n]...)
	p.got += n
	return data[n:]
}

// refusal says why a put whose body has arrived is not accepted, if it isn't.
func (s *Server) refusal(tail []byte) word {
	if string(tail) != "\r\n" {
		return expectedCRLF
	}
	if s.draining.Load() {
		return draining
	}
	return ""
}

// admit turns a complete put into an operation of the run. body is borrowed;
// the parts are given away. A refused put finds no run: it was flushed.
func (c *Conn) admit(p *incoming, refusal word, body []byte) {
	if refusal != "" {
		c.loop.server.router.EndID(p.id)
		c.loop.out = append(c.loop.out, refusal...)
		return
	}
	op := c.opFor(c.session.UsedShard(), verbPut)
	op.ID, op.Pri, op.Delay, op.TTR, op.Size = p.id, p.pri, p.delay, p.ttr, uint32(p.size)
	op.Data, op.Parts = body, p.parts
	c.run.member = true
}
