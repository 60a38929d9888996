package queue

import (
	"fmt"
	"testing"
)

// busyTurn is a turn in which neighbours do more than its share of work before
// the batch is run, and jobs come and go in all tubes that have been seen.
func busyTurn(w *world, r *rival, u *user, b *Batch) (done bool) {
	w.s.Tick(w.now)
	w.s.spend(2 * w.s.Share) // as kicks in front of this batch do, and walks along waiters
	if u.client.many != nil && u.client.many.seeking {
		for i := range r.jobs[1:] {
			r.put(i)
			r.remove(i)
		}
	}
	return w.s.Run(w.now, b)
}

// A client that watches 300 tubes, of which one has a job, gets it within few
// turns, though others use up the share of each and have jobs come and go all the
// time; with no job it comes to the queue as soon, and gets the next.
func TestSearchUnderSteadyTraffic(t *testing.T) {
	const tubes = 300
	for _, kind := range []Kind{Reserve, Claim, Offer, Wait} {
		for _, stands := range []bool{true, false} {
			w := newWorld(t)
			u := w.user("u")
			u.watchMany(tubes)
			r := &rival{w, make([]uint64, tubes)}
			if stands {
				r.put(tubes - 1)
			}
			op := Op{Kind: kind}
			if kind == Wait {
				op.Ticket = u.Arm()
			}
			b := batchOf(&u.client, op)
			turns := 1
			for ; !busyTurn(w, r, u, b); turns++ {
				if turns > 2*(tubes+1)/leastShare+2 {
					t.Fatalf("operation %d: the search has not ended after %d turns", kind, turns)
				}
			}
			last := r.jobs[tubes-1]
			switch status := b.Ops[0].Status; {
			case stands && kind == Wait:
				if got := fmt.Sprint(w.given); got != fmt.Sprintf("[u:%d]", last) {
					t.Errorf("a wait brings %s, want job %d", got, last)
				}
			case stands && (status != OK || b.Ops[0].ID != last):
				t.Errorf("operation %d ends with %d, job %d, want job %d", kind, status, b.Ops[0].ID, last)
			case !stands && (kind == Reserve || kind == Wait):
				if r.put(7); status != Waiting || fmt.Sprint(w.given) != fmt.Sprintf("[u:%d]", r.jobs[7]) {
					t.Errorf("operation %d ends with %d, and then %v is given", kind, status, w.given)
				}
			case !stands && status != Empty:
				t.Errorf("operation %d ends with %d, want that there is nothing", kind, status)
			}
		}
	}
}

// Other long work goes on behind busy neighbours too.
func TestLongWorkUnderSteadyTraffic(t *testing.T) {
	const jobs = 100
	for _, kind := range []Kind{Kick, Detach} {
		w := newWorld(t)
		a, c := w.user("a"), w.user("c")
		w.fill(a, jobs, 100)
		if kind == Detach {
			w.run(fmt.Sprintf("a kick %d -> %d", jobs, jobs))
			for range jobs {
				c.apply(Op{Kind: Reserve, Poll: true})
			}
			w.given, w.wakes = nil, nil
		}
		b := batchOf(&c.client, Op{Kind: kind, Limit: jobs})
		turns := 1
		for ; !busyTurn(w, &rival{w, make([]uint64, 1)}, c, b); turns++ {
			if turns > jobs {
				t.Fatalf("operation %d has not ended after %d turns", kind, turns)
			}
		}
		if got := w.s.totals.Ready; got != jobs {
			t.Errorf("operation %d: %d jobs are ready, want %d", kind, got, jobs)
		}
	}
}

// Delayed jobs, the waiters of a tube whose pause has ended, and deadlines that have
// passed go on side by side, however much of each there is, and all of them together do
// not make a turn longer.
func TestDueWorkOfEachKindGoesOn(t *testing.T) {
	for _, n := range [][3]int{{2 * Slice, 2 * Slice, 2 * Slice}, {2 * Slice, 0, 2 * Slice}, {2 * Slice, 2 * Slice, 0}} {
		w := newWorld(t)
		left := w.allDue(n)
		for turn, more := 1, true; more; turn++ {
			before := left()
			more = w.s.Tick(w.now)
			w.given, w.wakes, w.s.Woken = nil, nil, w.s.Woken[:0]
			moved := 0
			for kind, n := range left() {
				if before[kind] > 0 && n == before[kind] {
					t.Fatalf("turn %d: of delayed jobs, waiters and deadlines %v were left, now %v", turn, before, left())
				}
				moved += before[kind] - n
			}
			if moved > Slice+3 || moved == 0 {
				t.Fatalf("turn %d moves %d jobs, want up to %d", turn, moved, Slice)
			}
		}
		if left() != [3]int{} {
			t.Errorf("nothing more is said to be due, but there is: %v", left())
		}
	}
}

// allDue makes so many delayed jobs, waiters behind a pause that has ended, and
// deadlines, all of them due. left counts what is left of them.
func (w *world) allDue(n [3]int) (left func() [3]int) {
	a, p, h := w.user("a"), w.user("p"), w.user("h")
	w.fill(a, n[2], 0)
	for range n[2] {
		h.apply(Op{Kind: Reserve, Poll: true})
	}
	p.apply(Op{Kind: Use, Data: []byte("paused")})
	p.apply(Op{Kind: Pause, Data: []byte("paused"), Delay: 1})
	for i := range n[1] {
		u := w.user(fmt.Sprint("w", i))
		u.apply(Op{Kind: Watch, Data: []byte("paused")})
		u.apply(Op{Kind: Ignore, Data: []byte("default")})
		u.apply(Op{Kind: Reserve})
	}
	w.fill(p, n[1], 0)
	w.now += second
	w.s.Tick(w.now) // the pause ends
	w.given, w.wakes, w.s.Woken = nil, nil, w.s.Woken[:0]
	a.apply(Op{Kind: Use, Data: []byte("delayed")})
	w.fill(a, n[0], 1)
	w.now += 600 * second
	return func() [3]int { return [3]int{w.s.totals.Delayed, w.s.waiting, int(h.client.ttrs.N)} }
}
