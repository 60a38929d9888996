package beanstalk

import (
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"beanfield/shard/queue"
)

// bodyOfMany is one of many bodies of all kinds of sizes, most of them small.
func bodyOfMany(id int) string {
	body := bodyOf(id * 37 % 6000)
	if id%4 > 0 {
		body = body[:len(body)/100]
	}
	return body
}

// TestLongPipeline sends 10,000 commands in one write, over tubes of several
// shards, and wants every reply in its place (C1). Bodies and lines are torn at
// the end of the read buffer in many ways.
func TestLongPipeline(t *testing.T) {
	for _, shards := range []int{1, 7} {
		h := newHouse(t, func(o *houseOptions) { o.shards = shards })
		c := h.dial()
		var in, want strings.Builder
		rnd := rand.New(rand.NewPCG(uint64(shards), 1))
		id, tube := 0, "default"
		for range 10000 {
			switch rnd.IntN(6) {
			case 0:
				tube = fmt.Sprintf("p%d", rnd.IntN(20))
				fmt.Fprintf(&in, "use %s\r\n", tube)
				fmt.Fprintf(&want, "USING %s\r\n", tube)
			case 1:
				id++
				body := bodyOfMany(id)
				fmt.Fprintf(&in, "put 0 0 60 %d\r\n%s\r\n", len(body), body)
				fmt.Fprintf(&want, "INSERTED %d\r\n", id)
			case 2:
				if n := rnd.IntN(id + 2); n > 0 && n <= id {
					body := bodyOfMany(n)
					fmt.Fprintf(&in, "peek %d\r\n", n)
					fmt.Fprintf(&want, "FOUND %d %d\r\n%s\r\n", n, len(body), body)
				} else {
					fmt.Fprintf(&in, "peek %d\r\n", id+1)
					want.WriteString("NOT_FOUND\r\n")
				}
			case 3:
				in.WriteString("list-tube-used\r\n")
				fmt.Fprintf(&want, "USING %s\r\n", tube)
			case 4:
				fmt.Fprintf(&in, "touch %d\r\n", rnd.IntN(id+2))
				want.WriteString("NOT_FOUND\r\n")
			case 5:
				in.WriteString("nonsense\r\nreserve-with-timeout 0\r\n")
				want.WriteString("UNKNOWN_COMMAND\r\nTIMED_OUT\r\n")
			}
			if tube == "default" { // where a reserve would find the jobs
				tube = "p0"
				in.WriteString("use p0\r\n")
				want.WriteString("USING p0\r\n")
			}
		}
		go io.WriteString(c.nc, in.String()+"quit\r\n")
		c.reads(want.String())
		c.eof()
	}
}

// stuckPipeline asks for so much that the replies do not fit into the socket,
// in bodies that are small enough to be copied, and then for more.
func stuckPipeline(c *client, replies int, more string) (id uint64, body string) {
	body = bodyOf(2000)
	id = c.put(0, 0, 600, body)
	c.send(strings.Repeat(fmt.Sprintf("peek %d\r\n", id), replies) + more)
	return id, body
}

// stuckReplies are counts of replies that end before, at and after the end
// of a run; all of them get stuck.
var stuckReplies = []int{maxRun - 1, maxRun, maxRun + 1, 3 * maxRun}

func (c *client) readPeeks(id uint64, body string, n int) {
	c.t.Helper()
	for i := range n {
		if gotID, got := c.job("FOUND"); gotID != id || got != body {
			c.t.Fatalf("reply %d is wrong", i)
		}
	}
}

// TestPutBehindStuckReplies puts a job behind replies that get stuck. Its
// body must not suffer from what other connections read meanwhile.
func TestPutBehindStuckReplies(t *testing.T) {
	h := newHouse(t, func(o *houseOptions) { o.Loops = 1; o.shards = 1 })
	for _, replies := range stuckReplies {
		const n = 1900
		a, b := h.pair(), h.pair()
		a.do("use a", "USING a")
		want := bodyOf(n)
		id, body := stuckPipeline(a, replies, fmt.Sprintf("put 0 0 600 %d\r\n%s\r\nlist-tube-used\r\n", n, want))
		eventually(t, "the server has read all", func() bool { return a.unread() == 0 })
		b.put(0, 0, 60, strings.Repeat("z", 60000)) // fills the loop's buffer
		a.readPeeks(id, body, replies)
		second := a.inserted()
		a.expect("USING a")
		b.send(fmt.Sprintf("peek %d\r\n", second))
		if _, got := b.job("FOUND"); got != want {
			t.Fatalf("behind %d replies a body has become %.60q", replies, got)
		}
	}
}

// TestEndBehindStuckReplies quits, or shuts its side down, before the replies have been read:
// they still come, all of them.
func TestEndBehindStuckReplies(t *testing.T) {
	h := newHouse(t)
	for _, replies := range stuckReplies {
		c, half := h.pair(), h.pair()
		id, body := stuckPipeline(c, replies, "quit\r\n")
		c.readPeeks(id, body, replies)
		c.eof()
		id, body = stuckPipeline(half, replies, "list-tube-used\r\n")
		half.closeWrite()
		half.readPeeks(id, body, replies)
		half.expect("USING default")
		half.eof()
	}
}

// TestLargeAmongSmall mixes bodies that are sent without copying with small
// replies, over a socket that gets stuck again and again.
func TestLargeAmongSmall(t *testing.T) {
	h := newHouse(t, func(o *houseOptions) { o.MaxJobSize = 4 << 20 })
	for _, network := range []string{"pair", "tcp"} {
		c := h.connect(network)
		rnd := rand.New(rand.NewPCG(9, 9))
		var ids []uint64
		var bodies []string
		for _, n := range []int{0, 5, 2048, 2049, 5000, 70000, 300000, 3 << 20} {
			bodies = append(bodies, bodyOf(n))
			ids = append(ids, c.put(0, 0, 60, bodies[len(bodies)-1]))
		}
		var picks []int
		var in strings.Builder
		for range 200 {
			k := rnd.IntN(len(ids))
			if k > 5 && rnd.IntN(5) > 0 {
				k = 1
			}
			picks = append(picks, k)
			fmt.Fprintf(&in, "peek %d\r\nlist-tube-used\r\n", ids[k])
		}
		c.send(in.String())
		for i, k := range picks {
			if id, got := c.job("FOUND"); id != ids[k] || got != bodies[k] {
				t.Fatalf("%s, reply %d: job %d of %d bytes, want job %d of %d", network, i, id, len(got), ids[k],
					len(bodies[k]))
			}
			c.expect("USING default")
		}
	}
}

// A run that has been as long as it may be is used again.
func TestLongRunsAreKept(t *testing.T) {
	l, r := &loop{}, &run{}
	for range maxRun {
		r.Ops = append(r.Ops, queue.Op{})
	}
	if l.dropRun(r); l.takeRun(1) != r {
		t.Errorf("a run with room for %d commands is thrown away", cap(r.Ops))
	}
}
