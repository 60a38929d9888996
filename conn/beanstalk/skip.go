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

// skipper throws away input that cannot become a command: the body of a
// job that is too big, or a line that is too long. Its state is a few bytes,
// however much there is to skip.
type skipper struct {
	bytes int64         // left of a body
	word  protocol.Word // the answer to its command
	line  bool          // until the line's CRLF
	cr    bool          // the last byte of the line so far was CR
	// request says that the line may be the first one of a request of HTTP, and ends with this
	// many bytes of version so far.
	request bool
	version uint8
}

func (k *skipper) on() bool { return k.bytes > 0 || k.line }

// watch looks at a piece of the line, up to the CR at i if that is not negative.
func (k *skipper) watch(piece []byte, i int) {
	if !k.request {
		return
	}
	if k.cr {
		k.version = 0 // that CR was a part of the line
	}
	if i >= 0 {
		piece = piece[:i]
	}
	for _, b := range piece[max(0, len(piece)-len(protocol.Version)):] {
		k.version = protocol.VersionSo(k.version, b)
	}
}
