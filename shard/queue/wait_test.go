package queue

import (
	"fmt"
	"testing"
)

func TestWaiters(t *testing.T) {
	runScripts(t, []script{
		{"first come, first served, and again from the end", `
			b reserve -> waiting
			c reserve -> waiting
			d reserve -> waiting
			a put 5 0 60 -> 1 => b:1
			b reserve -> waiting
			a put 5 0 60 -> 2 => c:2
			a put 5 0 60 -> 3 => d:3
			a put 5 0 60 -> 4 => b:4
			a put 5 0 60 -> 5
			a stats-tube default -> waiting=0 ready=1 reserved=4`},
		{"who waits at several tubes leaves them all", `
			b watch two
			b watch three
			c watch two
			b reserve -> waiting
			c reserve -> waiting
			a stats-tube two -> waiting=2
			a stats-tube three -> waiting=1
			a use two
			a put 5 0 60 -> 1 => b:1
			a stats-tube three -> waiting=0
			a stats-tube default -> waiting=1
			a use three
			a put 5 0 60 -> 2
			a use default
			a put 5 0 60 -> 3 => c:3`},
		{"the order is that of each tube", `
			b watch two
			b ignore default
			b reserve -> waiting
			c watch two
			c reserve -> waiting
			a put 5 0 60 -> 1 => c:1
			a use two
			a put 5 0 60 -> 2 => b:2`},
	})
}

func TestWaitsThatEnd(t *testing.T) {
	runScripts(t, []script{
		{"whose wait has ended elsewhere is passed over and forgotten", `
			b watch two
			b wait -> waiting
			c wait -> waiting
			a stats-tube two -> waiting=1
			a stats-tube default -> waiting=2
			b shut
			a stats-tube two -> waiting=0    # it does not really wait
			a stats-tube default -> waiting=1
			a put 5 0 60 -> 1 => c:1
			b withdraw
			a put 5 0 60 -> 2
			b claim -> 2`},
		{"all waits ended elsewhere leave the job ready", `
			b wait -> waiting
			c wait -> waiting
			b shut
			c shut
			a put 5 0 60 -> 1
			a stats-tube default -> waiting=0 ready=1`},
		{"withdraw", `
			b watch two
			b wait -> waiting
			c wait -> waiting
			b withdraw
			a stats-tube default -> waiting=1
			a stats-tube two -> waiting=0
			a put 5 0 60 -> 1 => c:1
			b withdraw`},
		{"a withdrawal that comes late does not end the next wait", `
			b wait -> waiting
			b withdraw 1
			b wait -> waiting
			b withdraw 1
			a put 5 0 60 -> 1 => b:1`},
		{"a job that came between offer and wait is delivered at once", `
			b offer -> empty
			a put 5 0 60 -> 1
			b wait -> waiting => b:1
			a stats-tube default -> waiting=0
			b delete 1`},
		{"a wait for a paused tube's job is a wait", `
			a put 5 0 60 -> 1
			a pause default 2
			b wait -> waiting
			+2s => b:1`},
	})
}

// A wait that has ended elsewhere before this shard hears of it leaves nothing
// behind and takes nothing.
func TestWaitTooLate(t *testing.T) {
	w := newWorld(t)
	w.run("b offer -> empty\n a put 5 0 60 -> 1")
	b := w.user("b")
	ticket := b.Arm()
	b.end()
	if op, _ := b.apply(Op{Kind: Wait, Ticket: ticket}); op.Status != Waiting {
		t.Fatalf("answer is %v", op.Status)
	}
	w.run("a stats-tube default -> waiting=0 ready=1\n a totals -> reserved=0")
}

// One that has ended before it comes is not counted, though this shard has looked
// for it already.
func TestWaitTooLateIsNotCounted(t *testing.T) {
	w := newWorld(t)
	b := w.user("b")
	b.apply(Op{Kind: Offer})
	ticket := b.Arm()
	b.end()
	w.run("a stats-tube default -> waiting=0")
	b.apply(Op{Kind: Wait, Ticket: ticket})
	w.run("a stats-tube default -> waiting=0")
}

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
