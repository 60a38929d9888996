package event

import (
	"math/rand/v2"
	"testing"
)

// checkTimers holds the heap to its two rules: no one comes before its
// parent, and everyone knows its place.
func checkTimers(t *testing.T, h *timers) {
	t.Helper()
	for i := 1; i < len(h.heap); i++ {
		c := h.heap[i]
		if c.place != i {
			t.Fatalf("place %d holds a connection that believes to be at %d", i, c.place)
		}
		if i > 1 && c.at < h.heap[i/2].at {
			t.Fatalf("place %d (%d) is before its parent (%d)", i, c.at, h.heap[i/2].at)
		}
	}
}

// TestTimers compares the heap with a plain set over random sets, changes and
// removals, with many equal times.
func TestTimers(t *testing.T) {
	for seed := range uint64(200) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		conns := make([]Conn, 1+rnd.IntN(40))
		in := map[*Conn]bool{}
		var h timers
		for range 300 {
			c := &conns[rnd.IntN(len(conns))]
			if rnd.IntN(3) == 0 {
				h.remove(c)
				delete(in, c)
			} else {
				h.set(c, 1+rnd.Int64N(12))
				in[c] = true
			}
			checkTimers(t, &h)
			var first int64
			for c := range in {
				if first == 0 || c.at < first {
					first = c.at
				}
			}
			if h.first() != first || max(len(h.heap)-1, 0) != len(in) {
				t.Fatalf("seed %d: first %d of %d, want %d of %d", seed, h.first(), len(h.heap)-1, first, len(in))
			}
		}
	}
}
