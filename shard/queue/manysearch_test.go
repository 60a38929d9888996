package queue

import (
	"fmt"
	"testing"
)

// dice are the choices of a run, so that all runs are taken: the last choice
// that can be another is, and what comes after it begins anew.
type dice struct {
	taken, of []int
	at        int
}

func (d *dice) choose(n int) int {
	if d.at == len(d.taken) {
		d.taken, d.of = append(d.taken, 0), append(d.of, n)
	}
	d.at++
	return d.taken[d.at-1]
}

// next prepares another run, if there is one.
func (d *dice) next() bool {
	for n := len(d.taken); n > 0; n-- {
		if d.taken[n-1]++; d.taken[n-1] < d.of[n-1] {
			d.taken, d.of, d.at = d.taken[:n], d.of[:n], 0
			return true
		}
	}
	return false
}

// rival is what others do while a client searches: jobs come, go, and come and go.
type rival struct {
	w    *world
	jobs []uint64 // the job of each tube, or 0
}

func (r *rival) put(i int) {
	w, u := r.w, r.w.user("rival")
	op := tubeOp(Use, i)
	w.s.Apply(w.now, &Batch{Client: &u.client}, &op)
	r.jobs[i] = w.dir.Last + 1
	w.dir.Last++
	op = Op{Kind: Put, ID: r.jobs[i], Pri: uint32(i), TTR: 60}
	w.s.Apply(w.now, &Batch{Client: &u.client}, &op)
}

func (r *rival) remove(i int) {
	op := Op{Kind: Delete, ID: r.jobs[i]}
	r.w.s.Apply(r.w.now, &Batch{Client: &r.w.user("rival").client}, &op)
	r.jobs[i] = 0
}

// move does one of all things that can be done: nothing, or for one tube a job
// goes, comes, or comes and goes.
func (r *rival) move(d *dice) {
	ways := 1
	for _, id := range r.jobs {
		if ways++; id == 0 {
			ways++
		}
	}
	way := d.choose(ways)
	for i, id := range r.jobs {
		switch {
		case id != 0 && way == 1:
			r.remove(i)
			return
		case id != 0:
			way--
		case way == 1:
			r.put(i)
			return
		case way == 2:
			r.put(i)
			r.remove(i)
			return
		default:
			way -= 2
		}
	}
}

// Every search over three tubes, one step a turn, against everything that others
// can do in between: it ends after two passes, and misses nothing.
func TestEverySearch(t *testing.T) {
	const tubes = 3
	for _, kind := range []Kind{Reserve, Claim, Offer, Wait} {
		runs, longest := 0, 0
		w := newManyWorld(t, -1, 1)
		u := w.user("u")
		u.watchMany(tubes)
		u.apply(Op{Kind: Ignore, Data: []byte("default")})
		for d := (&dice{}); ; runs++ {
			r := &rival{w, make([]uint64, tubes)}
			for i := range tubes {
				if d.choose(2) == 1 {
					r.put(i)
				}
			}
			longest = max(longest, searchAgainst(t, r, d, u, kind))
			for i, id := range r.jobs {
				if id != 0 {
					r.remove(i)
				}
			}
			w.given, w.s.Woken, w.s.Gone = nil, w.s.Woken[:0], w.s.Gone[:0]
			if !d.next() {
				break
			}
		}
		if longest != 2*tubes {
			t.Errorf("operation %d: the longest search takes %d turns, want %d", kind, longest, 2*tubes)
		}
		t.Logf("operation %d: %d searches", kind, runs+1)
	}
}

// searchAgainst runs one search, and returns how many turns it took.
func searchAgainst(t *testing.T, r *rival, d *dice, u *user, kind Kind) (turns int) {
	w, op := r.w, Op{Kind: kind}
	if kind == Wait {
		u.Arm()
	}
	b := batchOf(&u.client, op)
	b.Ticket = u.ticket
	w.s.Tick(w.now)
	for turns = 1; !w.s.Run(w.now, b); turns++ {
		if turns > 2*len(r.jobs) {
			t.Fatalf("operation %d has not ended after %d turns: %v", kind, turns, d.taken)
		}
		w.s.Tick(w.now)
		r.move(d)
		for _, c := range w.s.seekers {
			if err := w.s.checkSearch(c); err != nil {
				t.Fatalf("operation %d: %v: %v", kind, err, d.taken)
			}
		}
	}
	got := b.Ops[0].ID
	if kind == Wait {
		for i, id := range r.jobs {
			if id != 0 && fmt.Sprintf("u:%d", id) == fmt.Sprint(append(w.given, "")[0]) {
				got = r.jobs[i]
			}
		}
	}
	for i, id := range r.jobs {
		switch {
		case id == 0:
		case got == 0:
			t.Fatalf("operation %d finds nothing, with a job in tube %d: %v", kind, i, d.taken)
		case got == id && kind != Offer:
			r.jobs[i] = 0
			op := Op{Kind: Delete, ID: id}
			w.s.Apply(w.now, b, &op)
		}
	}
	u.open = false
	op, b.Ticket = Op{Kind: Withdraw}, u.ticket
	w.s.Apply(w.now, b, &op)
	return turns
}
