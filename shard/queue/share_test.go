package queue

import (
	"fmt"
	"testing"

	"beanfield/shard/queue/policy"
)

// fill puts n jobs without looking at the state after each.
func (w *world) fill(u *user, n int, delay uint32) (first uint64) {
	first = w.lastID + 1
	for range n {
		w.lastID++
		w.bodies[w.lastID] = "x"
		u.apply(Op{Kind: Put, ID: w.lastID, Pri: 5, Delay: delay, TTR: 600, Data: []byte("x"), Size: 1})
	}
	return first
}

// Long operations come in slices, between which others may go on.
func TestSlices(t *testing.T) {
	t.Run("kick of delayed jobs", func(t *testing.T) {
		w := newWorld(t)
		w.fill(w.user("a"), 2500, 100)
		w.run(`
			a kick 2100 -> 2100
			a totals -> ready=2100 delayed=400
			b poll -> 1`)
	})
	for _, n := range []int{Slice - 1, Slice, Slice + 1, 2 * Slice, 3*Slice - 72} {
		t.Run(fmt.Sprint("kick and detach of ", n), func(t *testing.T) {
			w := newWorld(t)
			a, b := w.user("a"), w.user("b")
			w.fill(a, n, 0)
			for range n {
				b.apply(Op{Kind: Reserve, Poll: true})
			}
			for id := uint64(n); id > 0; id-- {
				b.apply(Op{Kind: Bury, ID: id, Pri: 5})
			}
			w.run(fmt.Sprintf("a peek-buried -> %d\n a kick 4000000000 -> %d", n, n))
			if most := n/Slice + 1; w.slices > most || w.slices < (n-1)/Slice+1 {
				t.Errorf("kick of %d jobs took %d slices", n, w.slices)
			}
			for range n {
				b.apply(Op{Kind: Reserve, Poll: true})
			}
			w.run("b detach")
			if most := n/Slice + 1; w.slices > most || w.slices < (n-1)/Slice+1 {
				t.Errorf("detach with %d jobs took %d slices", n, w.slices)
			}
			w.run(fmt.Sprintf("a totals -> ready=%d reserved=0", n))
		})
	}
}

// Waiters of a tube are counted when all have been taken out whose waits have ended elsewhere,
// however many turns that takes.
func TestLeaversAreNotCounted(t *testing.T) {
	w := newWorld(t)
	a, stays := w.user("a"), w.user("stays")
	const leavers = Slice * moving / looking * 3 / 2
	stays.apply(Op{Kind: Wait, Ticket: stays.Arm()})
	for i := range leavers {
		u := w.user(fmt.Sprint("u", i))
		u.apply(Op{Kind: Wait, Ticket: u.Arm()})
		u.end()
	}
	b := batchOf(&a.client, Op{Kind: StatsTube, Data: []byte("default")})
	turns := 1
	for w.s.Tick(w.now); !w.s.Run(w.now, b); w.s.Tick(w.now) {
		turns++
	}
	if got := b.Tubes[0].Waiting; turns < 2 || got != 1 {
		t.Errorf("after %d turns %d wait, want 1 after several", turns, got)
	}
}

func TestOthersGoOnBetweenSlices(t *testing.T) {
	w := newWorld(t)
	a := w.user("a")
	const n = Slice * 3 / 2
	w.fill(a, n, 100)
	b := &Batch{Client: &a.client, Ops: []Op{{Kind: Kick, Limit: n - 100}}}
	w.s.Apply(w.now, b, &b.Ops[0])
	if b.Ops[0].Status != More || b.Ops[0].Count != Slice {
		t.Fatalf("after one slice: %+v", b.Ops[0])
	}
	w.run(fmt.Sprintf("c poll -> 1\n c delete 1\n c delete %d\n c delete %d", n, n-1)) // two of them still delayed
	w.s.Apply(w.now, b, &b.Ops[0])
	if b.Ops[0].Status != OK || b.Ops[0].Count != n-100 {
		t.Fatalf("at the end: %+v", b.Ops[0])
	}
	w.run(fmt.Sprintf("a totals -> ready=%d delayed=98", n-101))
}

func TestTickInSlices(t *testing.T) {
	w := newWorld(t)
	const n = Slice*5/2 - 60
	w.fill(w.user("a"), n, 1)
	w.now += second
	for _, want := range []int{Slice, 2 * Slice, n} {
		if more := w.s.Tick(w.now); more != (want < n) || w.s.totals.Ready != want {
			t.Fatalf("Tick says %v and leaves %d ready, want %d", more, w.s.totals.Ready, want)
		}
	}
	w.run(fmt.Sprintf("a totals -> ready=%d delayed=0", n))
}

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
	for _, n := range [][3]int{{2 * Slice, 2 * Slice, 2 * Slice}, {2 * Slice, 0, 2 * Slice}, {2 * Slice, 2 * Slice,
		0}} {
		w := newWorld(t)
		left := w.allDue(n)
		for turn, more := 1, true; more; turn++ {
			before := left()
			more = w.s.Tick(w.now)
			w.given, w.wakes, w.s.Woken = nil, nil, w.s.Woken[:0]
			moved := 0
			for kind, n := range left() {
				if before[kind] > 0 && n == before[kind] {
					t.Fatalf("turn %d: of delayed jobs, waiters and deadlines %v were left, now %v", turn, before,
						left())
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

// service is that of the only tube, once there is one.
func (f *field) service() *service {
	if v := f.s.tubes["tube0"].service; v != nil {
		return v
	}
	return &service{index: &itemIndex{}, tube: f.s.tubes["tube0"]}
}

// most runs an operation, and tells by how much a count changes in one turn at most.
func (f *field) most(t *testing.T, a Ask, count func(*service) int) (most int) {
	t.Helper()
	a.Queue, a.Limits = "tube0", &policy.Limits{}
	b := &Batch{Ops: []Op{{Kind: Service, Ask: &a}}}
	for done := false; !done; {
		before := count(f.service())
		f.s.Tick(f.now) // another turn begins
		done = f.s.Run(f.now, b)
		after := count(f.service())
		most = max(most, after-before, before-after)
	}
	if b.Ops[0].Status != OK {
		t.Errorf("operation %d is answered %v", a.What, b.Ops[0].Status)
	}
	if err := f.s.Check(); err != nil {
		t.Error(err)
	}
	return most
}

// What is counted.
func itemsOf(v *service) int   { return v.tube.length() }
func orderedOf(v *service) int { return v.index.order.n }

// knownOf is how many jobs the second group has, or is done with.
func knownOf(v *service) (n int) {
	for _, w := range v.views {
		for _, k := range w.known {
			n += int(k)
		}
	}
	return n
}

// What concerns all jobs of a queue does in a turn what others can wait for, and no more.
func TestWorkOfTurns(t *testing.T) {
	const jobs = 3000
	subscribe := func(group string) Ask { return Ask{What: AskWatch, Group: group, User: "u", Receiver: &sink{}} }
	touched := []Ask{{What: AskGet, Index: NewestIndex, Length: 1}}
	first := []Ask{{What: AskAttrs}, subscribe("first")}
	second := append(first, subscribe("second"))
	truncate, drop := Ask{What: AskTruncate, Index: jobs + 2}, Ask{What: AskDropGroup, Group: "second"}
	remove := Ask{What: AskDelete}
	for id := range uint64(jobs + 2) {
		remove.Indexes = append(remove.Indexes, id)
	}
	for name, c := range map[string]struct {
		before []Ask
		passed bool // the first group is done with the jobs
		ask    Ask
		count  func(*service) int
		cost   int // of a job
	}{
		"the order is made":            {nil, false, touched[0], orderedOf, indexing},
		"a second group":               {first, false, subscribe("second"), knownOf, moving / 4},
		"a group ends":                 {second, false, drop, knownOf, moving/4 + moving/2},
		"a group ends, and its items":  {second, true, drop, itemsOf, moving/4 + moving/2 + 3*moving},
		"truncate":                     {touched, false, truncate, itemsOf, 3 * moving},
		"truncate, two groups":         {second, false, truncate, itemsOf, 3*moving + moving/2},
		"truncate what the second has": {second, true, truncate, itemsOf, 3*moving + moving/2},
		"delete":                       {touched, false, remove, itemsOf, 3 * moving},
		"a forced end":                 {touched, false, Ask{What: AskEnd, Force: true}, itemsOf, visiting + 3*moving},
	} {
		f := newField(jobs, 1)
		f.s.LeastPurge = 1 << 30 // one by one
		for _, a := range c.before {
			f.most(t, a, itemsOf)
		}
		for i := 0; c.passed && i < jobs; i++ {
			f.apply(&f.clients[0], Op{Kind: Delete, ID: f.apply(&f.clients[0], Op{Kind: Reserve, Poll: true}).ID})
		}
		got, want := f.most(t, c.ask, c.count), Slice*moving/c.cost
		if got > want+1 || got < want*9/10 {
			t.Errorf("%s: a turn changes %d jobs, want %d", name, got, want)
		}
	}
}
