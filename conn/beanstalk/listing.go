package beanstalk

import (
	"strconv"

	"beanfield/conn/beanstalk/protocol"
	"beanfield/router"
)

// A list of a hundred thousand tubes takes milliseconds to write. So it is written
// in pieces, from a snapshot, and between two pieces the loop serves others. The
// connection runs no other command until its list is complete.

// listPiece is how many chunks of names are written at once.
const listPiece = 4

// list begins the reply of list-tubes and list-tubes-watched.
func (c *Conn) list(names router.Names) {
	const head, foot = "---\n", "- \n"
	out := append(c.loop.out, "OK "...)
	out = strconv.AppendInt(out, int64(len(head)+names.Bytes+len(foot)*names.Count), 10)
	out = append(out, protocol.CRLF...)
	c.loop.out = append(out, head...)
	c.listing = names.Chunks
	c.listOn()
}

// listOn writes the next piece of the list.
func (c *Conn) listOn() {
	for n := 0; n < listPiece && len(c.listing) > 0; n++ {
		out := c.loop.out
		for _, name := range c.listing[0] {
			out = append(out, '-', ' ')
			out = append(out, name...)
			out = append(out, '\n')
		}
		c.loop.out = out
		c.listing = c.listing[1:]
		if len(out) >= sendAt {
			if c.send(); c.closed || c.stuck != nil {
				return // goOn goes on with it when the replies are out
			}
		}
	}
	if len(c.listing) > 0 {
		c.Notify()
		return
	}
	c.listing = nil
	c.loop.out = append(c.loop.out, protocol.CRLF...)
}
