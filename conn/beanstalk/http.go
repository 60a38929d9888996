package beanstalk

import (
	"bytes"
	"time"

	"beanfield/conn/beanstalk/protocol"
)

// A web page can have a browser send HTTP to any port, also to one that only this machine
// reaches. The page cannot choose how the request begins, but it chooses the body, which would
// be read as commands. So whoever speaks HTTP is let go before the body: at a first line that
// is a request line, and at a line "Host: ...", which every browser sends before the body. The
// second one catches what a proxy, or a page, puts before the request line.

// foreign says that a line is of another protocol. The connection ends then, or will when what
// came before the line has been answered.
func (c *Conn) foreign(data, line []byte, state protocol.LineState) bool {
	guarded := c.fresh && !c.http
	switch {
	case (guarded || state != protocol.Complete) && protocol.IsHello(data):
		c.refuseHello()
	case state == protocol.Complete && (guarded && protocol.IsRequest(line) || c.isHost(line)),
		state == protocol.TooLong && c.isHost(data):
		c.refuseHTTP()
	default:
		return false
	}
	return true
}

// isHost says whether a line, or the beginning of one that is too long, is the header Host, which
// ends the connection.
func (c *Conn) isHost(line []byte) bool {
	const host = "host:"
	return !c.http && len(line) >= len(host) && bytes.EqualFold(line[:len(host)], []byte(host))
}

// refuseHTTP ends the connection of a client that speaks HTTP, when what came before has been
// answered. It sends nothing: there is nothing in it for a page to read.
func (c *Conn) refuseHTTP() {
	if !c.flush() {
		return
	}
	c.loop.server.web.note(c)
	c.Send()
	c.Close()
}

// webQuiet is how long there is no second line.
const webQuiet = time.Minute

func (w *webLog) note(c *Conn) {
	s := c.loop.server
	w.since.Add(1)
	now, last := s.router.Now()+1, w.said.Load()
	if last != 0 && now-last < int64(webQuiet) || !w.said.CompareAndSwap(last, now) {
		return
	}
	s.log.Warn("a client spoke HTTP where the beanstalk protocol is spoken, and was disconnected: perhaps a web "+
		"page tried to send commands (listen.refuse_http)",
		"from", c.Peer().String(), "disconnected", w.since.Swap(0))
}

// refuseHello ends the connection of a client that speaks TLS where none is spoken. Its
// line may never end, and both would wait for each other; the answer is one that no TLS
// library takes for its own.
func (c *Conn) refuseHello() {
	if !c.flush() {
		return
	}
	c.loop.Out = append(c.loop.Out, protocol.BadFormat...)
	c.Send()
	c.Close()
}
