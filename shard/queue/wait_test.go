package queue

import (
	"fmt"
	"testing"
)

// R3: a worker that watches one busy and many idle tubes leaves nothing in
// them, and its waits use the same memory again.
func TestNothingStaleIsLeft(t *testing.T) {
	w := newWorld(t)
	b := w.user("b")
	const tubes = usualMany - 1 // and "default"
	for i := range tubes {
		b.apply(Op{Kind: Watch, Data: fmt.Appendf(nil, "idle%d", i)})
	}
	a := w.user("a")
	for range 2000 {
		b.apply(Op{Kind: Reserve})
		if w.s.Waits() != tubes+1 {
			t.Fatalf("%d wait entries of one waiter at %d tubes", w.s.Waits(), tubes+1)
		}
		id := w.fill(a, 1, 0)
		if w.s.Waits() != 0 {
			t.Fatalf("%d wait entries are left", w.s.Waits())
		}
		b.apply(Op{Kind: Delete, ID: id})
		w.s.Woken = w.s.Woken[:0]
	}
	free := 0
	for e := w.s.freeWaits; e != nil; e = e.sibling {
		free++
	}
	if free != tubes+1 {
		t.Errorf("%d wait entries were made, %d are enough", free, tubes+1)
	}
}
