package beanstalk

import (
	"fmt"
	"slices"
	"testing"

	"beanfield/conn/access"
)

// A wrong token is answered late, and the third one ends the connection. Others do not wait.
func TestWrongToken(t *testing.T) {
	t.Parallel()
	h, _ := newRuled(t)
	c, other := h.newcomer(), h.as("admin")
	for i := range mostTries {
		c.send("auth wrong\r\nlist-tube-used\r\n")
		for range 100 {
			other.do("list-tube-used", "USING default")
		}
		c.expect("NOT_FOUND")
		if i < mostTries-1 {
			c.expect("USING default")
		}
	}
	c.eof()
	if n := h.server.Denied(); n["auth"] != mostTries {
		t.Errorf("counted %v", n)
	}
	if len(h.logs.Lines("wrong")) > 0 {
		t.Error("the log has a token")
	}
}

// putTorn sends a put in two pieces, the second from a place in the body on; 0 for one piece.
func (c *client) putTorn(body string, cut int) {
	c.t.Helper()
	text := fmt.Sprintf("put 4294967295 9 9 %d\r\n%s\r\n", len(body), body)
	if cut > 0 {
		cut += len(text) - len(body) - 2
		c.sendAll(text[:cut])
	}
	c.send(text[cut:])
}

// A right token never waits, however many wrong ones from its address do, or have been answered at
// once because enough wait. Clients that leave while they wait make room for others.
func TestRightTokenAfterGuesses(t *testing.T) {
	s, l := stillServer(t)
	s.guesses = new(access.Guesses)
	s.book.Replace(rules(t, rule("one", access.Put, "*")))
	visit := func(line string) (*Conn, int) {
		far := s.enterBy(t, s.Door(Door{Login: true}))
		tell(t, far, []byte(line))
		l.ServeInbox()
		i := slices.IndexFunc(l.present(), func(c *Conn) bool { return c.fresh })
		c := l.present()[i]
		c.Readable = true
		c.GoOn()
		return c, far
	}
	var waiting []*Conn
	atOnce := 0
	for range 25 {
		c, far := visit("auth wrong\r\n")
		if c.refusalDue {
			waiting = append(waiting, c)
		} else if heard(far) == "NOT_FOUND\r\n" {
			atOnce++
		}
	}
	if len(waiting) == 0 || atOnce == 0 || len(waiting)+atOnce != 25 {
		t.Errorf("%d wait, %d are answered at once", len(waiting), atOnce)
	}
	for _, line := range []string{"auth one\r\n", "put 0 0 9 9\r\noauth one\r\n"} {
		if _, far := visit(line); heard(far) == "" {
			t.Errorf("%q is not answered at once", line)
		}
	}
	waiting[0].Close()
	if c, _ := visit("auth wrong\r\n"); !c.refusalDue {
		t.Error("a client that has left while it waited has made no room")
	}
	waiting[1].refuseLate()
	if c, _ := visit("auth wrong\r\n"); !c.refusalDue {
		t.Error("an answer has made no room")
	}
	if c, _ := visit("auth wrong\r\n"); c.refusalDue {
		t.Error("too many wait")
	}
}
