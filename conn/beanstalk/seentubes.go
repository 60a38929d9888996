package beanstalk

import (
	"beanfield/conn/access"
	"beanfield/router"
	"beanfield/shard/queue"
)

// Where there are rules, list-tubes and stats show the tubes that the client sees. To ask
// about a hundred thousand takes milliseconds, so it is done in pieces.

// siftPiece is how many chunks of names are sifted before others have their turn.
const siftPiece = 4

// listSeen begins the answer of list-tubes.
func (c *Conn) listSeen(names router.Names) {
	if c.guard == nil || c.guard.subject.Everywhere() != 0 {
		c.list(names)
		return
	}
	c.guard.sieve = &sieve{left: names.Chunks}
	c.siftOn()
}

// siftOn sifts the next piece, and begins the reply when nothing is left.
func (c *Conn) siftOn() {
	v := c.guard.sieve
	for n := 0; n < siftPiece && len(v.left) > 0; n++ {
		v.sift(v.left[0], c.guard.subject)
		v.left = v.left[1:]
	}
	if len(v.left) > 0 {
		c.await(callSift)
		c.Notify()
		return
	}
	c.guard.sieve = nil
	c.list(v.seen)
}

// judgeOfStats is the judge of the tubes that stats counts, or nil if it counts all.
func (g *guard) judgeOfStats() queue.Judge {
	if g == nil || g.subject.Everywhere().Has(access.Stats) {
		return nil
	}
	return g.judge
}

// seenTubes is how many tubes stats shows.
func (g *guard) seenTubes(c *Conn) int {
	if g.judgeOfStats() == nil {
		return c.loop.server.router.Tubes()
	}
	return c.session.Sums.Tubes
}
