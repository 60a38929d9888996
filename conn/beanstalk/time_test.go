package beanstalk

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// timed is what a client of a still server sends, when the answer comes, and what it is; after an
// ellipsis, what the answer has.
type timed struct {
	who   int
	send  string
	after time.Duration
	want  string
}

const held = "INSERTED 1\r\nRESERVED 1 1\r\nx"

// timedTalks are conversations about time.
var timedTalks = map[string][]timed{
	"timeouts": {
		{0, "reserve-with-timeout 1", time.Second, "TIMED_OUT"},
		{0, "reserve-with-timeout 1000000", 1000000 * time.Second, "TIMED_OUT"},
	},
	"a deadline while it waits": {
		{0, "put 0 0 120 1\r\nx\r\nreserve", 0, held},
		{0, "reserve-with-timeout 1000", 119 * time.Second, "DEADLINE_SOON"},
		{0, "touch 1", 0, "TOUCHED"}, // the margin begins again later
		{0, "reserve-with-timeout 3", 3 * time.Second, "TIMED_OUT"},
		{0, "reserve-with-timeout 116", 116 * time.Second, "DEADLINE_SOON"}, // both are due, and the deadline is told
		{0, "touch 1", 0, "TOUCHED"},
		{0, "reserve", 119 * time.Second, "DEADLINE_SOON"},
		{0, "delete 1", 0, "DELETED"},
		{0, "reserve-with-timeout 1000", 1000 * time.Second, "TIMED_OUT"},
	},
	"a timeout after a deadline": {
		{0, "put 0 0 1 1\r\nx\r\nreserve\r\nput 0 0 600 1\r\nx\r\nreserve", 0, held +
			"\r\nINSERTED 2\r\nRESERVED 2 1\r\nx"},
		{0, "reserve-with-timeout 1", 0, "DEADLINE_SOON"},
		{0, "delete 1", 0, "DELETED"}, // the next deadline is far
		{0, "reserve-with-timeout 1", time.Second, "TIMED_OUT"},
	},
	"touches": {
		{0, "put 0 0 2 1\r\nx\r\nreserve", 0, held},
		{1, "reserve-with-timeout 1", time.Second, "TIMED_OUT"},
		{0, "touch 1", 0, "TOUCHED"},
		{1, "reserve-with-timeout 1", time.Second, "TIMED_OUT"},
		{0, "touch 1", 0, "TOUCHED"},
		{1, "reserve-with-timeout 1", time.Second, "TIMED_OUT"},
		{0, "delete 1", 0, "DELETED"},
	},
	"expiry": {
		{0, "put 0 0 2 1\r\nx\r\nreserve", 0, held},
		{1, "reserve", 2 * time.Second, "RESERVED 1 1\r\nx"},
		{0, "touch 1", 0, "NOT_FOUND"},
		{0, "reserve-with-timeout 0", 0, "TIMED_OUT"}, // no deadline is left
		{0, "stats", 0, "…\njob-timeouts: 1\n"},
	},
}

// Clients are answered at the time that they have asked for, or that their jobs have, and never a
// nanosecond before it; so they are if they watch tubes of several shards.
func TestAnswersInTime(t *testing.T) {
	for name, talk := range timedTalks {
		for _, tubes := range []int{0, 9} {
			synctest.Test(t, func(t *testing.T) {
				s, l := stillServer(t)
				clients := []int{s.enter(t), s.enter(t)}
				for i := range tubes {
					for _, fd := range clients {
						tell(t, fd, fmt.Appendf(nil, "watch t%d\r\n", i))
					}
				}
				l.serveAfter(0)
				for _, fd := range clients {
					heard(fd)
				}
				for i, step := range talk {
					tell(t, clients[step.who], []byte(step.send+"\r\n"))
					l.serveAfter(0)
					if step.after > 0 {
						l.serveAfter(step.after - 1)
						if got := heard(clients[step.who]); got != "" {
							t.Fatalf("%s, %d tubes, step %d: %q comes before its time", name, tubes, i, got)
						}
						l.serveAfter(1)
					}
					got := heard(clients[step.who])
					if part, ok := strings.CutPrefix(step.want, "…"); got != step.want+"\r\n" &&
						(!ok || !strings.Contains(got, part)) {
						t.Fatalf("%s, %d tubes, step %d: %q, want %q", name, tubes, i, got, step.want)
					}
				}
			})
		}
	}
}

// serveAfter lets time pass, and then serves until nothing is left to be done.
func (l *loop) serveAfter(d time.Duration) {
	time.Sleep(d)
	for again := true; again; again = !l.Idle() {
		synctest.Wait()
		l.ServeInbox()
		l.ServeEvents()
	}
}

// TestWakeFromAnotherLoop wakes a waiting client by a put that another loop
// runs, in turns over all pairs of loops, many thousand times.
func TestWakeFromAnotherLoop(t *testing.T) {
	h := newHouse(t, func(o *houseOptions) { o.Loops = 3 })
	const n = 6
	var cs []*client
	for i := range n {
		c := h.pair()
		c.do(fmt.Sprintf("watch loop%d", i), "WATCHING 2")
		c.do("ignore default", "WATCHING 1")
		cs = append(cs, c)
	}
	rounds := 500
	if testing.Short() {
		rounds = 100
	}
	for round := range rounds {
		for i, c := range cs {
			to := (i + 1 + round%(n-1)) % n
			tube := fmt.Sprintf("loop%d", to)
			cs[to].send("reserve\r\n")
			c.do("use "+tube, "USING "+tube)
			id := c.put(0, 0, 60, tube)
			cs[to].do(fmt.Sprintf("delete %d", id), fmt.Sprintf("RESERVED %d %d\r\n%s\r\nDELETED", id, len(tube), tube))
		}
	}
}
