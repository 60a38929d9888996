package queue

import (
	"fmt"
	"testing"
)

// A shard that is only ever waited in is not asked for figures, so withdrawals take its leavers
// out: none stays listed when it has withdrawn.
func TestWithdrawalsTakeOutLeavers(t *testing.T) {
	w := newWorld(t)
	b, c := w.user("b"), w.user("c")
	for _, u := range []*user{b, c} {
		u.apply(Op{Kind: Wait, Ticket: u.Arm()})
		u.end()
	}
	b.apply(Op{Kind: Withdraw, Ticket: b.ticket})
	if len(w.ended)+len(w.s.ended) > 0 || w.s.Waits() > 0 {
		t.Errorf("%d leavers are listed, and %d wait", len(w.ended)+len(w.s.ended), w.s.Waits())
	}
}

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
