package beanstalk

import (
	"fmt"
	"strings"
	"testing"

	"beanfield/conn/access"
)

// A token that a rule knows is never stored, whoever puts it, when and how. Where clients may log
// in the put does that, elsewhere it is refused.
func TestKnownTokenIsNoJob(t *testing.T) {
	everyone := access.Rule{GIDs: []uint32{uint32(gid)}, May: access.Put, Tubes: []string{"*"}}
	h, _ := newRuled(t, everyone, rule("one", access.Stats, "*"))
	bodies := []string{"oauth one", "oauth one\n", "oauth \t one \r\n", "oauth one\x00", "oauth one " + strings.Repeat("x", 3*readBuffer/4),
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
