package beanstalk

import (
	"fmt"
	"testing"

	"beanfield/conn/access"
)

// A reserve with tags goes on under other rules as what it is, also one that is kept behind another: it neither takes
// from tubes that the client may not reserve from, nor tells of them.
func TestReserveWithUnderOtherRules(t *testing.T) {
	h, book := newBooked(t)
	a, b := h.apart()
	book.Replace(rules(t, rule("one", access.Reserve, a, b)))
	c, admin := h.as("one"), h.as("admin")
	c.watch(a, b)
	admin.do("use "+b, "USING "+b) // so that it is there while nobody watches it
	book.Replace(rules(t, rule("one", access.Reserve, a)))
	c.send("reserve-with tag.k=v count=9\r\nreserve-with tag.k=v count=2\r\nreserve-with timeout=0 " +
		"count=9\r\nlist-tube-used\r\n")
	admin.until("stats-tube "+a, "current-waiting", "1")
	book.Replace(rules(t, rule("one", access.Reserve, b)))
	admin.until("stats-tube "+b, "current-waiting", "1")
	var ids []uint64
	for i, tube := range []string{a, b, a, b} {
		tag := "tag.k=v"
		if i == 3 {
			tag = "tag.k=w"
		}
		admin.send(fmt.Sprintf("put-with 1 tube=%s pri=0 %s\r\nx\r\n", tube, tag))
		ids = append(ids, admin.inserted())
	}
	told := func(id uint64, tube, tag string) {
		t.Helper()
		c.expect(fmt.Sprintf("RESERVED %d 1 tube=%s reserves=1 tag.k=%s\r\nx", id, tube, tag))
	}
	c.expect("RESERVED_WITH 1")
	told(ids[1], b, "v")
	book.Replace(rules(t, rule("one", access.Reserve, a, b)))
	c.expect("RESERVED_WITH 2") // those that it was not allowed before
	told(ids[0], a, "v")
	told(ids[2], a, "v")
	c.expect("RESERVED_WITH 1")
	told(ids[3], b, "w")
	c.expect("USING default")
}

// A client that hangs up anywhere in a reserve with tags leaves no job reserved.
func TestReserveWithTornByDisconnect(t *testing.T) {
	h := newHouse(t)
	a, b := h.apart()
	admin := h.pair()
	for range 3 {
		for _, tube := range []string{a, b} {
			admin.send("put-with 1 tag.k=v tube=" + tube + "\r\nx\r\n")
			admin.inserted()
		}
	}
	in := "watch " + a + "\r\nwatch " + b + "\r\nreserve-with tag.k=v count=4 timeout=0\r\nreserve-with tag.k=v " +
		"count=4\r\nreserve-with tag.k=v\r\ncall-off\r\n"
	for cut := range len(in) + 1 {
		c := h.pair()
		c.send(in[:cut])
		c.close()
		eventually(t, "it leaves", func() bool { return h.server.open.Load() == 1 })
		if got := admin.stat("stats", "current-jobs-reserved"); got != "0" {
			t.Fatalf("cut at %d: %s jobs are reserved by nobody", cut, got)
		}
	}
}
