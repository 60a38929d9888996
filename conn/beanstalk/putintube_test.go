package beanstalk

import (
	"fmt"
	"strings"
	"testing"

	"beanfield/conn/access"
)

// A put into a tube needs the right on that tube, whatever it is on the one in use, and its body is
// thrown away if it is refused, in one piece or torn.
func TestPutInTubeRight(t *testing.T) {
	h, _ := newRuled(t, rule("one", access.Put, "mine"), rule("one too", access.Peek, "seen"))
	for _, cut := range []int{0, 3} {
		c := h.as("one")
		for _, tube := range []string{"secret", "seen", "default"} {
			c.putTornInto(tube, "hello", cut)
			c.expect("BAD_FORMAT")
		}
		c.putTornInto("mine", "hello", cut)
		c.inserted()
		c.do("list-tube-used", "USING default")
	}
	d := h.as("one") // nobody keeps a large one
	d.send("put-in-tube secret 0 0 9 50000\r\n" + strings.Repeat("x", 50000) + "\r\nlist-tube-used\r\n")
	d.expect("BAD_FORMAT")
	d.expect("USING default")
	if n, denied := h.jobs(), h.server.Denied(); n != 2 || denied["put-in-tube"] != 7 || denied["put"] != 0 {
		t.Errorf("%d jobs, counted %v", n, denied)
	}
}

// putTornInto sends a put in two pieces, the second from a place in the body on; 0 for one piece.
func (c *client) putTornInto(tube, body string, cut int) {
	c.t.Helper()
	text := fmt.Sprintf("put-in-tube %s 0 0 9 %d\r\n%s\r\n", tube, len(body), body)
	if cut > 0 {
		cut += len(text) - len(body) - 2
		c.sendAll(text[:cut])
	}
	c.send(text[cut:])
}

// A put into a tube does not log in, and does not count as the first put, which may. A token that a
// rule knows does not become a job by it either; what is no token does.
func TestPutInTubeIsNoLogin(t *testing.T) {
	guests := access.Rule{GIDs: []uint32{uint32(gid)}, May: access.Put, Tubes: []string{"open"}}
	h, _ := newRuled(t, guests, rule("one", access.Put, "*"))
	for _, cut := range []int{0, 8} {
		c := h.newcomer()
		c.putTornInto("open", "oauth one", cut)
		c.expect("BAD_FORMAT")
		c.putTornInto("open", "oauth wrong", cut)
		c.inserted()
		c.putTornInto("default", "not mine", cut)
		c.expect("BAD_FORMAT")
		c.putTorn("oauth one", cut) // but this does
		c.inserted()
		c.putTornInto("default", "not mine", cut)
		c.inserted()
	}
	guess := h.newcomer()
	guess.do("put-in-tube default 0 0 9 5\r\nhello", "BAD_FORMAT")
	guess.do("put 0 0 9 11\r\noauth wrong", "BAD_FORMAT") // its first put, so a wrong token
	if n, denied := h.jobs(), h.server.Denied(); n != 4 || denied["auth"] != 1 {
		t.Errorf("%d jobs, counted %v", n, denied)
	}
}

// Rules that are replaced while the body is on its way hold for it.
func TestWithdrawalInMidPutInTube(t *testing.T) {
	h, book := newRuled(t, rule("one", access.Put, "t"))
	c := h.as("one")
	c.send("list-tube-used\r\nput-in-tube t 0 0 9 10\r\nhello")
	c.expect("USING default") // and what came with it has been read
	eventually(t, "its id is given", func() bool { _, ok := h.router.Owner(1); return ok })
	book.Replace(rules(t, rule("one", access.Put, "default")))
	c.send("hello\r\nlist-tubes\r\n")
	c.expect("BAD_FORMAT")
	c.expect("OK 14")
	if n := h.owned(); n != 0 {
		t.Errorf("%d ids have an owner", n)
	}
}

// What is kept behind a wait goes into the tube that it names if the rules that hold then allow it.
func TestRecalledPutInTube(t *testing.T) {
	h, book := newRuled(t, rule("one", access.Reserve, "default"), rule("one too", access.All, "none"))
	c, admin := h.as("one"), h.as("admin")
	one := rule("one", access.Put|access.Reserve, "default", "a")
	book.Replace(rules(t, one))
	c.send("reserve\r\nput-in-tube default 7 1000 33 5\r\nhello\r\nput-in-tube a 0 0 9 1\r\na\r\nlist-tube-used\r\n")
	admin.until("stats-tube default", "current-waiting", "1")
	one.Tubes = []string{"default", "b"}
	book.Replace(rules(t, one))
	id := admin.put(0, 0, 9, "x")
	c.expect(fmt.Sprintf("RESERVED %d 1\r\nx", id))
	c.expect(fmt.Sprintf("INSERTED %d", id+1))
	c.expect("BAD_FORMAT")
	c.expect("USING default")
	for key, want := range map[string]string{"pri": "7", "delay": "1000", "ttr": "33", "tube": "default"} {
		if got := admin.stat(fmt.Sprintf("stats-job %d", id+1), key); got != want {
			t.Errorf("%s: %s, want %s", key, got, want)
		}
	}
}
