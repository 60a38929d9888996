package queueservice

import (
	"errors"
	"io"
	"sync/atomic"
	"time"

	"github.com/gobwas/ws"
)

// closePatience is how long a connection that ends waits for the client to take the
// close frame, and then for its answer.
const closePatience = time.Second

// consumer is a watch over WebSocket. Its reader, the goroutine of serve, ends it.
type consumer struct {
	party
	socket  *socket
	outbox  outbox
	input   input
	frames  frames
	writer  writer
	closing atomic.Bool // the writer has ended
	written chan struct{}
}

// newConsumer prepares a consumer that has no connection yet. The shard may already
// push to its outbox.
func newConsumer(p party) *consumer {
	c := &consumer{party: p, written: make(chan struct{})}
	c.outbox.init()
	return c
}

// serve runs the consumer until its connection ends.
func (c *consumer) serve() {
	defer c.server.delist(c)
	go c.write()
	c.end(c.read())
}

// write is the writer's goroutine. When it ends, the reader soon notices.
func (c *consumer) write() {
	defer close(c.written)
	err := c.writer.run()
	c.closing.Store(true)
	patience := closePatience
	if err != nil {
		patience = 0 // the client takes nothing
	}
	c.socket.SetReadDeadline(time.Now().Add(patience))
}

// read reads and handles what the client sends, until the connection is to end.
func (c *consumer) read() error {
	for {
		m, err := c.frames.next()
		if err != nil {
			return err
		}
		switch m.op {
		case ws.OpPing:
			// If the client sends pings and does not read, some pongs are dropped.
			c.outbox.say(ws.OpPong, m.payload)
		case ws.OpPong:
		case ws.OpClose:
			return wrong(closeCode(m.payload), "")
		default:
			if err := c.handle(m); err != nil {
				return err
			}
		}
	}
}

// end takes the consumer out of its queue, and ends the connection: with a close
// frame if the client has ended it, or has done something wrong.
func (c *consumer) end(err error) {
	var why *misconduct
	told := errors.As(err, &why)
	if told {
		c.outbox.stop(why.code, why.text)
	} else {
		c.outbox.stop(closeGoing, "")
	}
	c.leave(&c.outbox)
	if told {
		c.linger()
	}
	c.socket.Close() // a writer that is stuck ends
	<-c.written
}

// linger gives the client time to read the close frame. What the client still sends must
// be read before the socket is closed, or the kernel resets the connection.
func (c *consumer) linger() {
	timer := time.NewTimer(closePatience)
	defer timer.Stop()
	select {
	case <-c.written:
	case <-timer.C:
		return
	}
	c.socket.CloseWrite()
	c.socket.SetReadDeadline(time.Now().Add(closePatience))
	io.Copy(io.Discard, io.LimitReader(c.socket.Conn, 1<<20))
}
