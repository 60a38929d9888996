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
	if u.client.wide != nil && u.client.wide.seeking {
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
