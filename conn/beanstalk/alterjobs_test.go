package beanstalk

import (
	"fmt"
	"strings"
	"testing"

	"beanfield/storage/must"
)

// moved goes from call to call, and counts what the answers say.
func moved(t *testing.T, c *client, line string) (done, not, calls int) {
	t.Helper()
	for cursor := ""; ; {
		c.send(line + cursor + "\r\n")
		words := strings.Fields(c.line())
		if len(words) < 3 || words[0] != "MOVED" {
			t.Fatalf("%q is answered %q", line+cursor, words)
		}
		var n, m int
		must.Get(fmt.Sscan(words[1], &n))
		must.Get(fmt.Sscan(words[2], &m))
		done, not, calls = done+n, not+m, calls+1
		if len(words) == 3 {
			return done, not, calls
		}
		cursor = " cursor=" + words[3]
	}
}

// All jobs of a tube go to a tube of another shard, or of the same, call by call; and back, chosen by their bodies,
// also by large ones that are searched beside the shard.
func TestMoveJobsCallByCall(t *testing.T) {
	h := newHouse(t, func(o *houseOptions) { o.shards = 3 })
	c := h.pair()
	const jobs = 300
	for i := range jobs {
		body := fmt.Sprint("body ", i)
		if i%100 == 50 {
			body = strings.Repeat("0123456789", 5000) + body
		}
		c.send(fmt.Sprintf("put-in-tube from 1 0 60 %d\r\n%s\r\n", len(body), body))
		c.inserted()
	}
	tubes := []string{"from", "t1", "t2", "t3", "t4", "t5"}
	for i, to := range tubes[1:] {
		if done, not, calls := moved(t, c, fmt.Sprintf("move-jobs %s %s limit=70", tubes[i], to)); done != jobs ||
			not != 0 || calls < jobs/70 {
			t.Errorf("%d jobs have gone to %s, %d not, in %d calls", done, to, not, calls)
		}
	}
	// 1, 10 to 19, 100 to 199
	if done, not, _ := moved(t, c, "move-jobs t5 from body=body%201"); done != 111 || not != 0 {
		t.Errorf("%d jobs have been moved, %d not", done, not)
	}
	if n := strings.Join(c.yaml("stats-tube from"), " "); !strings.Contains(n, "current-jobs-ready: 111") {
		t.Error(n)
	}
}

// Clients that hang up while their jobs are on their way leave none behind, and none twice; their connections end.
func TestMoverHangsUp(t *testing.T) {
	h := newHouse(t, func(o *houseOptions) { o.shards = 3 })
	c := h.pair()
	const jobs = 400
	for range jobs {
		c.put(0, 0, 60, "x")
	}
	tubes := []string{"default", "t1", "t2", "t3", "t4"}
	for i := range 40 {
		m := h.pair()
		m.send(fmt.Sprintf("move-jobs %s %s\r\nmove-jobs %s %s limit=7\r\n", tubes[i%5], tubes[(i+1)%5], tubes[(i+2)%5],
			tubes[i%5]))
		if i%2 == 0 {
			m.line()
		}
		m.close()
	}
	eventually(t, "they leave", func() bool { return h.server.open.Load() == 1 })
	n := 0
	for _, tube := range tubes {
		c.send("truncate " + tube + "\r\n")
		if words := strings.Fields(c.line()); words[0] == "TRUNCATED" {
			var got int
			must.Get(fmt.Sscan(words[1], &got))
			n += got
		}
	}
	if n != jobs || h.jobs() != 0 {
		t.Errorf("%d jobs are there, and then %d", n, h.jobs())
	}
}
