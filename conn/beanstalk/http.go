package beanstalk

import (
	"bytes"
	"sync/atomic"
	"time"

	"beanfield/conn"
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
	case (guarded || state != protocol.Complete) && isHello(data):
		c.refuseHello()
	case state == protocol.Complete && (guarded && isRequest(line) || c.isHost(line)), state == protocol.TooLong && c.isHost(data):
		c.refuseHTTP()
	default:
		return false
	}
	return true
}

// version is how a request line ends, with any digits.
const version = " HTTP/0.0"

// versionSo returns how many bytes of version the text ends with whose last byte is b, if the text
// before b ended with n. The first byte of version is not in it a second time.
func versionSo(n uint8, b byte) uint8 {
	if int(n) < len(version) && (b == version[n] || version[n] == '0' && '0' <= b && b <= '9') {
		return n + 1
	}
	if b == version[0] {
		return 1
	}
	return 0
}

// isRequest says whether a line is the first one of a request: a method, a target, a version.
func isRequest(line []byte) bool {
	n := uint8(0)
	for _, b := range line[max(0, len(line)-len(version)):] {
		n = versionSo(n, b)
	}
	return int(n) == len(version) && startsRequest(line[:len(line)-len(version)])
}

// startsRequest says whether a line begins with a method and a space.
func startsRequest(line []byte) bool {
	i := bytes.IndexByte(line, ' ')
	if i <= 0 {
		return false
	}
	for _, b := range line[:i] {
		if b <= ' ' || b >= 0x7f || bytes.IndexByte([]byte(`"(),/:;<=>?@[\]{}`), b) >= 0 {
			return false
		}
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
	c.send()
	c.close()
}

// webLog logs clients that spoke HTTP: a page may make a browser try a thousand times.
type webLog struct {
	said  atomic.Int64 // when there was a line, plus 1
	since atomic.Int64 // how many there have been since then
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
	s.log.Warn("a client spoke HTTP where the beanstalk protocol is spoken, and was disconnected: perhaps a web page tried to send commands (listen.refuse_http)",
		"from", conn.PeerOf(c.fd).String(), "disconnected", w.since.Swap(0))
}
