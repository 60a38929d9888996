package beanstalk

import (
	"fmt"
	"testing"

	"beanfield/conn/access"
)

// A reserve of several jobs goes on under other rules, also one that is kept behind another: it stays
// one of several, waits at the tubes that the rules allow then, and takes from no other.
func TestReserveBatchUnderOtherRules(t *testing.T) {
	h, book := newBooked(t)
	a, b := h.apart()
	book.Replace(rules(t, rule("one", access.Reserve, a, b)))
	c, admin := h.as("one"), h.as("admin")
	c.watch(a, b)
	admin.do("use "+b, "USING "+b) // so that it is there while nobody watches it
	book.Replace(rules(t, rule("one", access.Reserve, a)))
	c.send("reserve-batch 9 1000\r\nreserve-batch 2 1000\r\nreserve-batch 9 0\r\nlist-tube-used\r\n")
	admin.until("stats-tube "+a, "current-waiting", "1")
	book.Replace(rules(t, rule("one", access.Reserve, b)))
	admin.until("stats-tube "+b, "current-waiting", "1")
	admin.send(fmt.Sprintf("put-in-tube %s 0 0 60 1\r\nx\r\nput-in-tube %s 0 0 60 1\r\ny\r\nput-in-tube %s 0 0 60 "+
		"1\r\nz\r\n", a, b, a))
	admin.inserted()
	id := admin.inserted()
	admin.inserted()
	c.expect("RESERVED_BATCH 1")
	c.expect(fmt.Sprintf("RESERVED %d 1\r\ny", id))
	book.Replace(rules(t, rule("one", access.Reserve, a, b)))
	c.expect("RESERVED_BATCH 2") // those that it was not allowed before
	c.expect(fmt.Sprintf("RESERVED %d 1\r\nx", id-1))
	c.expect(fmt.Sprintf("RESERVED %d 1\r\nz", id+1))
	c.expect("TIMED_OUT")
	c.expect("USING default")
}

// A client that hangs up while its jobs are claimed, and before it is told, leaves none reserved.
func TestReserveBatchTornByDisconnect(t *testing.T) {
	h := newHouse(t)
	a, b := h.apart()
	admin := h.pair()
	for range 3 {
		admin.send(fmt.Sprintf("put-in-tube %s 0 0 60 1\r\nx\r\nput-in-tube %s 0 0 60 1\r\ny\r\n", a, b))
		admin.inserted()
		admin.inserted()
	}
	in := "watch " + a + "\r\nwatch " + b + "\r\nreserve-batch 4 0\r\nreserve-batch 4 100\r\nreserve-batch 4 100\r\n"
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
