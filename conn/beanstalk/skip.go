package beanstalk

import "bytes"

// skipper throws away input that cannot become a command: the body of a
// job that is too big, or a line that is too long. Its state is a few bytes,
// however much there is to skip.
type skipper struct {
	bytes int64 // left of a body
	word  word  // the answer to its put
	line  bool  // until the line's CRLF
	cr    bool  // the last byte of the line so far was CR
}

func (k *skipper) on() bool { return k.bytes > 0 || k.line }

func (k *skipper) body(n int64) { k.bytes, k.word = n, jobTooBig }

// refused throws away the body of a put that the client may not make.
func (k *skipper) refused(n int64) { k.bytes, k.word = n, refusedWith[verbPut] }

// skipLine begins to throw away a line that is too long.
func (c *Conn) skipLine(data []byte) []byte {
	c.skip = skipper{line: true}
	return c.skipSome(data)
}

// isHello says that a line which has not ended begins as a TLS handshake does.
func isHello(data []byte) bool {
	return len(data) >= 3 && data[0] == 0x16 && data[1] == 3 && data[2] <= 4
}

// refuseHello ends the connection of a client that speaks TLS where none is spoken. Its
// line may never end, and both would wait for each other; the answer is one that no TLS
// library takes for its own.
func (c *Conn) refuseHello() {
	if !c.flush() {
		return
	}
	c.loop.out = append(c.loop.out, badFormat...)
	c.send()
	c.close()
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
	for len(data) > 0 {
		if k.cr && data[0] == '\n' {
			*k = skipper{}
			c.loop.refuse(badFormat)
			return data[1:]
		}
		i := bytes.IndexByte(data, '\r')
		if i < 0 {
			k.cr = false
			return nil
		}
		k.cr = true
		data = data[i+1:]
	}
	return nil
}
