package beanstalk

import (
	"strings"
	"testing"
	"time"

	"beanfield/conn/access"
)

// The command auth gives the rights of a token; before it there are none.
func TestAuth(t *testing.T) {
	h, _ := newRuled(t, rule("one", access.Put, "*"))
	c := h.knocking()
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
	c, other := h.knocking(), h.as("admin")
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
	if len(h.logs.matching("wrong")) > 0 {
		t.Error("the log has a token")
	}
}

// A put that shows a token logs in: it answers an id and makes no job, whatever else its body says.
func TestKnock(t *testing.T) {
	h, _ := newRuled(t, rule("one", access.Put, "*"))
	for _, body := range []string{"oauth one", "oauth one and more", "oauth   one\r\n", "oauth one\x00"} {
		for _, whole := range []bool{true, false} {
			c := h.knocking()
			line := "put 0 0 9 " + itoa(len(body)) + "\r\n"
			if whole {
				c.send(line + body + "\r\n")
			} else {
				c.send(line + body[:8])
				h.as("admin") // so that the first part has been read
				c.send(body[8:] + "\r\n")
			}
			if got := c.line(); !strings.HasPrefix(got, "INSERTED ") || got == "INSERTED 0" {
				t.Fatalf("%q is answered %q", body, got)
			}
			if n := h.jobs(); n != 0 {
				t.Fatalf("%q has made %d jobs", body, n)
			}
			c.put(0, 0, 9, "x")
			h.as("admin").do("delete "+itoa(int(h.newestID())), "DELETED")
			c.close()
		}
	}
}

// A put that shows no known token is looked at only if it is the first one of its connection, and
// none logs in where clients may not.
func TestNoKnock(t *testing.T) {
	h, _ := newRuled(t, rule("one", access.Put, "*"))
	c := h.knocking()
	c.do("put 0 0 9 5\r\nhello", "BAD_FORMAT")
	c.do("put 0 0 9 11\r\noauth wrong", "BAD_FORMAT") // at once
	if n := h.server.Denied()["auth"]; n != 0 {
		t.Errorf("%d wrong tokens are counted", n)
	}
	h.pair().do("put 0 0 9 9\r\noauth one", "BAD_FORMAT")
	large := h.knocking() // nobody keeps this for a client that may not put
	large.send("put 0 0 9 60000\r\noauth bad " + strings.Repeat("x", 59990) + "\r\n")
	large.expect("BAD_FORMAT")
	wrong := h.knocking()
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
func TestBodyLikeKnock(t *testing.T) {
	guests := access.Rule{GIDs: []uint32{uint32(gid)}, May: access.Put, Tubes: []string{"default"}}
	for name, list := range map[string][]access.Rule{"no rules": nil, "rules": {guests, rule("one", access.Delete, "*")}} {
		for _, whole := range []bool{true, false} {
			book := new(access.Book)
			h := newHouse(t, func(o *houseOptions) { o.Access = book })
			if list != nil {
				book.Replace(rules(t, list...))
			}
			first := func(body string) *client {
				c := h.knocking()
				c.send("put 0 0 9 " + itoa(len(body)) + "\r\n")
				if !whole {
					c.send(body[:8])
					h.as("admin") // so that the first part has been read
					body = body[8:]
				}
				c.send(body + "\r\n")
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
	book := new(access.Book)
	h := newHouse(t, func(o *houseOptions) { o.Access = book })
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
	c := newClient(t, clientOf(t, h.pairWith(h.server.Door(Door{Certificates: certificates(t, nil), Login: true})), h.trust))
	c.do("stats-tube default", "NOT_FOUND")
	c.do("auth admin", "OK 0\r\n")
	c.put(0, 0, 9, "x")
}

// Right tokens from an address that has tried too often are answered late, but they get in. Who
// comes from elsewhere does not wait.
func TestRightTokenAfterGuesses(t *testing.T) {
	guesses := new(access.Guesses)
	book := new(access.Book)
	book.Replace(rules(t, rule("one", access.Put, "*"), rule("two", access.Put, "*")))
	h := newHouse(t, func(o *houseOptions) { o.Access, o.Guesses = book, guesses })
	address := h.serve("tcp", "127.0.0.1:0", h.server.Door(Door{Login: true}))
	for guesses.Right(localhost) == 0 {
		guesses.Wrong(localhost)
	}
	begun := time.Now()
	c, knocks, loses := dial(t, "tcp", address), dial(t, "tcp", address), dial(t, "tcp", address)
	c.send("auth admin\r\nput 0 0 9 1\r\nx\r\n")
	knocks.send("put 0 0 9 9\r\noauth one\r\nput 0 0 9 1\r\ny\r\n")
	loses.send("auth two\r\n")
	other := h.as("admin") // a unix socket is another place
	for range 100 {        // meanwhile the token two has been read
		other.do("list-tube-used", "USING default")
	}
	book.Replace(rules(t, rule("one", access.Put, "*")))
	if d := time.Since(begun); d >= access.LongestDelay {
		t.Errorf("others wait %v", d)
	}
	c.expect("OK 0\r\n")
	if d := time.Since(begun); d < access.LongestDelay {
		t.Errorf("the answer comes after %v", d)
	}
	for c, want := range map[*client][]string{c: {"INSERTED "}, knocks: {"INSERTED ", "INSERTED "}} {
		for _, w := range want {
			if got := c.line(); !strings.HasPrefix(got, w) {
				t.Errorf("answered %q, want %q", got, w)
			}
		}
	}
	loses.expect("NOT_FOUND")
	if n := h.jobs(); n != 2 {
		t.Errorf("there are %d jobs", n)
	}
}
