package beanstalk

import (
	"fmt"
	"strings"
	"testing"

	"beanfield/conn/access"
)

// apart are two tubes of different shards, neither of them default's.
func (h *house) apart() (a, b string) {
	shards := map[int]bool{h.router.TubeShard([]byte("default")): true}
	var found []string
	for i := 0; len(found) < 2; i++ {
		tube := "t" + itoa(i)
		if s := h.router.TubeShard([]byte(tube)); !shards[s] {
			shards[s] = true
			found = append(found, tube)
		}
	}
	return found[0], found[1]
}

// Commands that are kept because the client does not read have no old rights either.
func TestCommandsBehindStuckReplies(t *testing.T) {
	h, book := newRuled(t, rule("one", access.All, "*"))
	body := strings.Repeat("x", 60000)
	admin, c := h.as("admin"), h.as("one")
	id := admin.put(0, 0, 9, body)
	const peeks = maxRun - 1
	c.send(strings.Repeat(fmt.Sprintf("peek %d\r\n", id), peeks) + "put 0 0 9 1\r\nx\r\nlist-tube-used\r\n")
	eventually(t, "the first peeks are answered", func() bool { return admin.stat("stats", "cmd-peek") != "0" })
	book.Replace(rules(t))
	found := 0
	line := c.line()
	for ; strings.HasPrefix(line, "FOUND "); line = c.line() {
		c.bytes(len(body) + 2)
		found++
	}
	for range peeks - found - 1 {
		c.expect("NOT_FOUND")
	}
	c.expect("BAD_FORMAT")
	c.expect("USING default")
	if line != "NOT_FOUND" || h.jobs() != 1 {
		t.Errorf("%q after %d of %d, and %d jobs", line, found, peeks, h.jobs())
	}
}

// A truncate of some states that is recalled is none of all states.
func TestRecalledTruncate(t *testing.T) {
	h, book := newRuled(t, rule("one", access.All, "*"))
	admin, c := h.as("admin"), h.as("one")
	admin.put(0, 100, 9, "delayed")
	c.send("reserve\r\ntruncate default state=buried\r\n")
	eventually(t, "it waits", func() bool { return admin.stat("stats", "current-waiting") == "1" })
	book.Replace(rules(t, rule("one", access.All, "*")))
	id := admin.put(0, 0, 9, "x")
	c.expect(fmt.Sprintf("RESERVED %d 1", id))
	c.expect("x")
	c.expect("TRUNCATED 0")
}
