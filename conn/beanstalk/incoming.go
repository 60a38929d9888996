package beanstalk

import (
	"beanfield/conn"
	"beanfield/router"
)

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
