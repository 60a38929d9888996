package beanstalk

import (
	"bytes"

	"beanfield/conn/beanstalk/protocol"
	"beanfield/conn/slow"
)

// skipLine begins to throw away a line that is too long.
func (c *Conn) skipLine(data []byte) []byte {
	c.skip = skipper{line: true, request: c.fresh && !c.http && protocol.StartsRequest(data)}
	c.fresh = false
	c.tellRefused(slow.LongLine, data)
	return c.skipSome(data)
}

// skipBody begins to throw away a body that cannot be used.
func (c *Conn) skipBody(size int, answer protocol.Word, why slow.Reason) {
	c.skip = skipper{bytes: int64(size) + 2, word: answer}
	c.tellRefused(why, nil)
}

// skipSome throws away what it can of data, and answers when nothing is left to
// skip.
func (c *Conn) skipSome(data []byte) (rest []byte) {
	if !c.flush() {
		return data
	}
	k := &c.skip
	if k.bytes > 0 {
		n := min(k.bytes, int64(len(data)))
		if k.bytes -= n; k.bytes == 0 {
			c.loop.refuse(k.word)
		}
		return data[n:]
	}
	return c.skipOn(data)
}

// skipOn throws away more of a line.
func (c *Conn) skipOn(data []byte) (rest []byte) {
	k := &c.skip
	for len(data) > 0 {
		if k.cr && data[0] == '\n' {
			request := k.request && int(k.version) == len(protocol.Version)
			*k = skipper{}
			if request {
				c.refuseHTTP()
			} else {
				c.loop.refuse(protocol.BadFormat) // told when it began
			}
			return data[1:]
		}
		i := bytes.IndexByte(data, '\r')
		k.watch(data, i)
		if i < 0 {
			k.cr = false
			return nil
		}
		k.cr = true
		data = data[i+1:]
	}
	return nil
}
