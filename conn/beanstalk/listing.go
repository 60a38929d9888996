package beanstalk

import (
	"strconv"

	"beanfield/conn/access"
	"beanfield/conn/beanstalk/event"
	"beanfield/conn/beanstalk/protocol"
	"beanfield/router"
	"beanfield/shard/queue"
)

// A list of a hundred thousand tubes takes milliseconds to write. So it is written
// in pieces, from a snapshot, and between two pieces the loop serves others. The
// connection runs no other command until its list is complete.

// listPiece is how many chunks of names are written at once.
const listPiece = 4

// list begins the reply of list-tubes and list-tubes-watched.
func (c *Conn) list(names router.Names) {
	const head, foot = "---\n", "- \n"
	out := append(c.loop.Out, "OK "...)
	out = strconv.AppendInt(out, int64(len(head)+names.Bytes+len(foot)*names.Count), 10)
	out = append(out, protocol.CRLF...)
	c.loop.Out = append(out, head...)
	c.listing = names.Chunks
	c.listOn()
}

// listOn writes the next piece of the list.
func (c *Conn) listOn() {
	for n := 0; n < listPiece && len(c.listing) > 0; n++ {
		out := c.loop.Out
		for _, name := range c.listing[0] {
			out = append(out, '-', ' ')
			out = append(out, name...)
			out = append(out, '\n')
		}
		c.loop.Out = out
		c.listing = c.listing[1:]
		if len(out) >= event.SendAt {
			if c.Send(); c.Closed() || c.Stuck() {
				return // goOn goes on with it when the replies are out
			}
		}
	}
	if len(c.listing) > 0 {
		c.Notify()
		return
	}
	c.listing = nil
	c.loop.Out = append(c.loop.Out, protocol.CRLF...)
}

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
	c.guard.visible = &visible{left: names.Chunks}
	c.siftOn()
}

// siftOn sifts the next piece, and begins the reply when nothing is left.
func (c *Conn) siftOn() {
	v := c.guard.visible
	for n := 0; n < siftPiece && len(v.left) > 0; n++ {
		v.sift(v.left[0], c.guard.subject)
		v.left = v.left[1:]
	}
	if len(v.left) > 0 {
		c.await(callSift)
		c.Notify()
		return
	}
	c.guard.visible = nil
	c.list(v.seen)
}

// authorizerOfStats is the authorizer of the tubes that stats counts, or nil if it counts all.
func (g *guard) authorizerOfStats() queue.Authorizer {
	if g == nil || g.subject.Everywhere().Has(access.Stats) {
		return nil
	}
	return g.authorizer
}

// seenTubes is how many tubes stats shows.
func (g *guard) seenTubes(c *Conn) int {
	if g.authorizerOfStats() == nil {
		return c.loop.server.router.Tubes()
	}
	return c.session.Sums.Tubes
}
