package beanstalk

import (
	"beanfield/conn"
	"beanfield/conn/beanstalk/protocol"
	"beanfield/router"
	"beanfield/shard/queue"
)

// incoming is a put, or another command with a body, whose line has been accepted and whose body has not
// arrived completely. Memory is taken as the bytes come, in parts, so that announcing
// a gigabyte costs nothing and growing copies nothing.
type incoming struct {
	verb            protocol.Verb
	shard           int
	tube            string // that the line names; "": the one in use
	id              uint64 // 0 until it is known, and for what is no put
	pri, delay, ttr uint32
	options         *queue.Options // of a put with options; the loop's until the put has its id; or of touch-batch
	size            int
	policies        *policyChange // of set-policies
	all             bool          // put-batch: all or none
	got             int           // bytes of the body
	parts           [][]byte      // copies (B3)
	held            conn.Share    // the bytes of these
	tail            [2]byte       // what stands where CRLF should
	tailGot         int
}

// Sizes of the parts of a body that does not come in one piece.
const (
	firstPart = 4 << 10
	lastPart  = 1 << 20
)

// take appends some of data to the body. It reports false if the bodies that are arriving, or those of this client,
// have taken too much.
func (p *incoming) take(data []byte) (rest []byte, ok bool) {
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

// gather makes a command the one whose body is arriving.
func (c *Conn) gather(p *incoming) {
	c.put = &incoming{}
	*c.put = *p
	c.put.held.Of, c.put.held.By = &c.loop.server.bodies, c
}

// Peer is the other end of the connection.
func (c *Conn) Peer() conn.Peer { return conn.PeerOf(c.fd) }

// giveUp ends the id of a put that never becomes a job.
func (p *incoming) giveUp(r *router.Router) {
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
