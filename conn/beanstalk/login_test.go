package beanstalk

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"beanfield/conn/access"
)

// The command auth gives the rights of a token; before it there are none.
func TestAuth(t *testing.T) {
	h, _ := newRuled(t, rule("one", access.Put, "*"))
	c := h.newcomer()
	c.do("put 0 0 9 1\r\nx", "BAD_FORMAT")
	c.do("auth ", "BAD_FORMAT")
	c.send("auth one\r\nput 0 0 9 1\r\nx\r\n") // a pipeline
	c.expect("OK 0\r\n")
	c.expect("INSERTED 1")
	c.do("auth admin", "OK 0\r\n") // somebody else now
	c.do("delete 1", "DELETED")
}

// A wrong token is answered late, and the third one ends the connection. Others do not wait.
func TestWrongToken(t *testing.T) {
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

// A put that shows a token logs in, also if it is not the first: it answers an id and makes no job,
// whatever else its body says.
func TestTokenPut(t *testing.T) {
	h, _ := newRuled(t, rule("one", access.Put, "*"))
	for _, body := range []string{"oauth one", "oauth one and more", "oauth   one\r\n", "oauth one\x00"} {
		for _, cut := range []int{0, 3, 8} {
			for _, first := range []bool{true, false} {
				c := h.newcomer()
				if !first {
					c.do("put 0 0 9 5\r\nhello", "BAD_FORMAT")
				}
				c.putTorn(body, cut)
				if id := c.inserted(); id == 0 || h.jobs() != 0 {
					t.Fatalf("%q is answered with id %d and has made %d jobs", body, id, h.jobs())
				}
				h.as("admin").do(fmt.Sprint("delete ", c.put(0, 0, 9, "x")), "DELETED")
				c.close()
			}
		}
	}
}

// A put that shows no known token is looked at only if it is the first one of its connection, and
// none logs in where clients may not.
func TestPutsWithoutToken(t *testing.T) {
	h, _ := newRuled(t, rule("one", access.Put, "*"))
	for _, cut := range []int{0, 3} {
		c := h.newcomer()
		c.putTorn("hello", cut)
		c.expect("BAD_FORMAT")
		c.do("put 0 0 9 11\r\noauth wrong", "BAD_FORMAT") // at once
	}
	if n := h.server.Denied()["auth"]; n != 0 {
		t.Errorf("%d wrong tokens are counted", n)
	}
	h.pair().do("put 0 0 9 9\r\noauth one", "BAD_FORMAT")
	large := h.newcomer() // nobody keeps this for a client that may not put
	large.send("put 0 0 9 60000\r\noauth bad " + strings.Repeat("x", 59990) + "\r\n")
	large.expect("BAD_FORMAT")
	wrong := h.newcomer()
	wrong.do("put 0 0 9 11\r\noauth wrong", "BAD_FORMAT")
	wrong.do("put 0 0 9 11\r\noauth wrong", "BAD_FORMAT")
	if n := h.jobs(); n != 0 {
		t.Errorf("there are %d jobs", n)
	}
	free := newHouse(t) // without rules, and without login, a body is a body
	free.pair().do("put 0 0 9 9\r\noauth one", "INSERTED 1")
	free.pair().do("auth one", "UNKNOWN_COMMAND")
	if n := free.jobs(); n != 1 {
		t.Errorf("there are %d jobs", n)
	}
}

// What somebody has written may begin like a login. It is a job without rules, and if the client
// may put it and no rule knows the token; nobody counts it as a guess. A right token logs in.
func TestBodyLikeToken(t *testing.T) {
	guests := access.Rule{GIDs: []uint32{uint32(gid)}, May: access.Put, Tubes: []string{"default"}}
	for name, list := range map[string][]access.Rule{"no rules": nil, "rules": {guests, rule("one", access.Delete,
		"*")}} {
		for _, cut := range []int{0, 8} {
			h, book := newBooked(t)
			if list != nil {
				book.Replace(rules(t, list...))
			}
			first := func(body string) *client {
				c := h.newcomer()
				c.putTorn(body, cut)
				return c
			}
			c := first("oauth hello world")
			c.expect("INSERTED 1")
			c.put(0, 0, 9, "x")
			h.as("admin").do("peek 1", "FOUND 1 17\r\noauth hello world")
			if n, denied := h.jobs(), h.server.Denied(); n != 2 || denied["auth"]+denied["put"] != 0 {
				t.Errorf("%s: there are %d jobs, refused is %v", name, n, denied)
			}
			if list == nil {
				continue
			}
			c.do("delete 1", "NOT_FOUND")
			c = first("oauth one")
			c.expect("INSERTED 3")
			c.do("delete 1", "DELETED")
			c.do("delete 3", "NOT_FOUND")
		}
	}
}

// Without rules everyone may do everything, and whoever logs in may too. The token counts when
// there are rules later.
func TestLoginWithoutRules(t *testing.T) {
	h, book := newBooked(t)
	c := h.as("one")
	c.put(0, 0, 9, "x")
	book.Replace(rules(t, rule("one", access.Peek, "*")))
	c.do("peek 1", "FOUND 1 1\r\nx")
	c.do("delete 1", "NOT_FOUND")
	book.Replace(nil)
	c.do("delete 1", "DELETED")
}

// Over TLS it is the same, and a certificate gives rights without any login.
func TestLoginOverTLS(t *testing.T) {
	h, _ := newRuled(t)
	h.trust = trust(t)
	c := newClient(t, clientOf(t, h.pairWith(h.server.Door(Door{Certificates: certificates(t, nil), Login: true})),
		h.trust))
	c.do("stats-tube default", "NOT_FOUND")
	c.do("auth admin", "OK 0\r\n")
	c.put(0, 0, 9, "x")
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
		l.serveInbox()
		i := slices.IndexFunc(l.present(), func(c *Conn) bool { return c.fresh })
		c := l.present()[i]
		c.readable = true
		c.goOn()
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
	waiting[0].close()
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

// A token that a rule knows is never stored, whoever puts it, when and how. Where clients may log
// in the put does that, elsewhere it is refused.
func TestKnownTokenIsNoJob(t *testing.T) {
	everyone := access.Rule{GIDs: []uint32{uint32(gid)}, May: access.Put, Tubes: []string{"*"}}
	h, _ := newRuled(t, everyone, rule("one", access.Stats, "*"))
	bodies := []string{"oauth one", "oauth one\n", "oauth \t one \r\n", "oauth one\x00", "oauth one " +
		strings.Repeat("x", 3*readBuffer/4),
		"oauth " + strings.Repeat(" ", access.LongestShown-10) + "one"}
	for _, login := range []bool{true, false} {
		for i, body := range bodies {
			for _, cut := range []int{0, 7} {
				c := newClient(t, h.pairWith(h.server.Door(Door{Login: login})))
				for range 3 {
					c.do("stats-tube default", "NOT_FOUND")
					id := c.put(0, 0, 9, "x")
					c.putTorn(body, cut)
					got := c.line()
					if login != strings.HasPrefix(got, "INSERTED ") || !login && got != "BAD_FORMAT" {
						t.Fatalf("login %v, body %d, torn at %d: answered %.30q", login, i, cut, got)
					}
					h.as("admin").do(fmt.Sprintf("delete %d", id), "DELETED")
					if n := h.jobs(); n != 0 {
						t.Fatalf("login %v, body %d, torn at %d: %d jobs", login, i, cut, n)
					}
					if login {
						c.stat("stats-tube default", "name") // it has logged in
						c.close()
						c = newClient(t, h.pairWith(h.server.Door(Door{Login: login})))
					}
				}
			}
		}
	}
	for _, body := range []string{"oauth two", "oauth", "oauth ", "oauthone", "one", " oauth one", "oauth two one"} {
		newClient(t, h.pair().nc).put(0, 0, 9, body)
	}
	if lines := h.logs.Lines("one"); len(lines) > 0 {
		t.Errorf("logged %q", lines)
	}
}

// A put that waits behind a reserve is no job if a rule has come meanwhile that knows its token.
func TestKnownTokenWhileWaiting(t *testing.T) {
	for _, login := range []bool{true, false} {
		h, book := newBooked(t)
		all := access.Rule{GIDs: []uint32{uint32(gid)}, May: access.All, Tubes: []string{"*"}}
		book.Replace(rules(t, all))
		c := newClient(t, h.pairWith(h.server.Door(Door{Login: login})))
		c.send("reserve\r\nput 0 0 9 9\r\noauth one\r\nput 0 0 9 1\r\ny\r\n")
		other := h.pair()
		other.until("stats", "current-waiting", "1")
		book.Replace(rules(t, all, rule("one", access.Put, "*")))
		id := other.put(0, 0, 9, "x")
		c.expect(fmt.Sprintf("RESERVED %d 1\r\nx", id))
		if got := c.line(); login != strings.HasPrefix(got, "INSERTED ") {
			t.Errorf("login %v: answered %q", login, got)
		}
		if got := c.line(); !strings.HasPrefix(got, "INSERTED ") || h.jobs() != 2 {
			t.Errorf("login %v: answered %q, there are %d jobs", login, got, h.jobs())
		}
	}
}
