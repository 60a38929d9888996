package event

import (
	"syscall"

	"beanfield/conn/socket"
)

// Send writes the replies that have gathered in the loop's buffer. What the
// socket does not take is kept, and stops the connection until it is gone:
// that bounds what a slow reader can make the server hold.
func (c *Conn) Send() {
	out := c.loop.Out
	if len(out) == 0 {
		return
	}
	c.loop.Out = out[:0]
	if c.closed {
		return
	}
	if c.stuck == nil {
		n, ok := c.write(out)
		if !ok {
			return
		}
		out = out[n:]
	}
	if len(out) > 0 {
		c.stick(append([]byte(nil), out...))
	}
	if cap(c.loop.Out) > 4*SendAt {
		c.loop.Out = make([]byte, 0, SendAt)
	}
}

// copyMax is the size up to which copying a body among the other replies is
// cheaper than writes of its own.
const copyMax = 32 << 10

// SendLarge adds a large body and its CRLF to the gathered replies or, to
// spare the copy, writes it after them: nobody ever changes it.
func (c *Conn) SendLarge(parts [][]byte) {
	size := 0
	for _, p := range parts {
		size += len(p)
	}
	if size > copyMax || len(c.loop.Out)+size > SendAt {
		c.Send()
	}
	if size <= copyMax && !c.closed {
		for _, p := range parts {
			c.loop.Out = append(c.loop.Out, p...)
		}
		c.loop.Out = append(c.loop.Out, '\r', '\n')
		return
	}
	for i, p := range parts {
		if c.closed {
			return
		}
		if c.stuck == nil {
			n, ok := c.write(p)
			if !ok {
				return
			}
			p = p[n:]
		}
		if len(p) > 0 {
			c.stick(p)
			for _, later := range parts[i+1:] {
				c.stick(later)
			}
			break
		}
	}
	c.loop.Out = append(c.loop.Out, '\r', '\n')
}

// write puts bytes on the socket until it takes no more or the connection has
// had its share. It reports false when the connection is gone.
func (c *Conn) write(b []byte) (n int, ok bool) {
	if c.tls != nil {
		return c.writeSealed(b)
	}
	for n < len(b) && c.loop.share > 0 {
		m, err := socket.Write(c.fd, b[n:min(len(b), n+c.loop.share)])
		switch err {
		case nil:
			n += m
			c.loop.share -= m
			c.loop.moved(m)
		case syscall.EAGAIN:
			return n, true
		case syscall.EINTR:
		default:
			c.Close()
			return n, false
		}
	}
	return n, true
}

// stick keeps bytes until the socket takes them. If it would take them now, because
// only the share was used up, that is reported at the next look.
func (c *Conn) stick(b []byte) {
	c.stuck = append(c.stuck, b)
	if !c.polling {
		c.polling = true
		c.loop.poll.WatchWrites(c.fd, true)
	}
}

// unstick writes what is stuck, as far as the socket takes it.
func (c *Conn) unstick() {
	for len(c.stuck) > 0 {
		n, ok := c.write(c.stuck[0])
		if !ok {
			return
		}
		if n < len(c.stuck[0]) || c.tls.Owes() {
			c.stuck[0] = c.stuck[0][n:]
			if c.loop.share <= 0 {
				c.loop.poll.WatchWrites(c.fd, true) // so that it is reported again
			}
			return
		}
		c.stuck[0] = nil
		c.stuck = c.stuck[1:]
	}
	c.stuck = nil
	c.polling = false
	c.loop.poll.WatchWrites(c.fd, false)
}
