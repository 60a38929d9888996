package queue

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

func tubeOp(kind Kind, i int) Op { return Op{Kind: kind, Data: fmt.Appendf(nil, "t%d", i)} }

// watchMany lets a user watch so many tubes beside "default".
func (u *user) watchMany(n int) {
	for i := range n {
		u.apply(tubeOp(Watch, i))
	}
}

// A client comes to watch many tubes and few again, and its set stays what a list would
// be.
func TestWatchSetsOfAnySize(t *testing.T) {
	w := newWorld(t)
	u := w.user("a")
	model := []string{"default"}
	rnd := rand.New(rand.NewPCG(7, 7))
	many := 0
	for step := range 6000 {
		growing := step/1500%2 == 0
		i := rnd.IntN(1500)
		name := fmt.Sprint("t", i)
		switch at := slices.Index(model, name); {
		case at < 0 && growing:
			u.apply(tubeOp(Watch, i))
			model = append(model, name)
		case at >= 0 && !growing:
			u.apply(tubeOp(Ignore, i))
			model = slices.Delete(model, at, at+1)
		}
		if u.client.many != nil {
			many++
		}
		if (u.client.many != nil) != (len(model) > usualMany) && (len(model) > usualMany || len(model) <= usualMany/2) {
			t.Fatalf("a client with %d tubes is one of many tubes: %v", len(model), u.client.many != nil)
		}
		if step%100 != 0 {
			continue
		}
		if err := w.check(); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, tube := range u.client.tubes() {
			got = append(got, tube.name)
		}
		slices.Sort(got)
		want := slices.Sorted(slices.Values(model))
		if !slices.Equal(got, want) {
			t.Fatalf("step %d: %d tubes are watched, want %d", step, len(got), len(want))
		}
	}
	if many == 0 || many == 6000 {
		t.Errorf("the client watched many tubes in %d of 6000 steps", many)
	}
}

// Commands of a client with very many tubes do not make turns longer, and its wait
// takes one place.
func TestTurnsOfAClientOfManyTubesAreBounded(t *testing.T) {
	const tubes, each = 20000, Slice * moving
	w := newWorld(t)
	a, u := w.user("a"), w.user("u")
	u.watchMany(tubes)
	for _, kind := range []Kind{Offer, Claim, Reserve, Wait} {
		op := Op{Kind: kind}
		if kind == Wait {
			op.Ticket = u.Arm()
		}
		b := batchOf(&u.client, op)
		turns := 0
		for done := false; !done; turns++ {
			before := u.client.many.seen
			done = w.s.Run(w.now, b)
			if n := int(u.client.many.seen) - int(before); n > each {
				t.Fatalf("operation %d looks at %d tubes in a turn, want %d at most", kind, n, each)
			}
			w.s.Tick(w.now)
		}
		if want := (tubes + each) / each; turns != want {
			t.Errorf("operation %d takes %d turns, want %d", kind, turns, want)
		}
		if u.open {
			if n := w.s.Waits(); n != 1 {
				t.Errorf("a wait takes %d places", n)
			}
			a.apply(tubeOp(Use, tubes-1))
			w.s.renew()
			w.fill(a, 1, 0)
			if spent := each - w.s.share; spent > 10 || u.open {
				t.Errorf("a delivery costs %d, and the client waits: %v", spent, u.open)
			}
			w.given, w.wakes = nil, nil
			w.s.Woken = w.s.Woken[:0]
		}
	}
}

// All long operations of a turn have one share together. One that finds it used up
// makes a single step.
func TestOneShareForAllOfATurn(t *testing.T) {
	w := newWorld(t)
	a := w.user("a")
	w.fill(a, 20*Slice, 100)
	var kicks []*Batch
	for range 50 {
		kicks = append(kicks, batchOf(&a.client, Op{Kind: Kick, Limit: Slice}))
	}
	w.s.Tick(w.now)
	for turn, finished := 1, 0; finished < 20; turn++ {
		for _, b := range kicks {
			if b.Next == 0 && w.s.Run(w.now, b) {
				finished++
			}
		}
		if got := w.s.totals.Ready; got > turn*(Slice+len(kicks)) {
			t.Fatalf("after %d turns %d jobs have been moved", turn, got)
		}
		if turn > 25 {
			t.Fatalf("after %d turns %d kicks have ended", turn, finished)
		}
		w.s.Tick(w.now)
	}
}

// A batch of operations that are each much work is spread over turns.
func TestHeavyBatchIsInterrupted(t *testing.T) {
	w := newWorld(t)
	u := w.user("u")
	const tubes, polls = usualMany - 1, 100
	u.watchMany(tubes)
	b := batchOf(&u.client)
	for range polls {
		b.Ops = append(b.Ops, Op{Kind: Reserve, Poll: true})
	}
	turns := 1
	for w.s.Tick(w.now); !w.s.Run(w.now, b); w.s.Tick(w.now) {
		turns++
	}
	if want := polls * (tubes + 1) / (Slice * moving); b.Next != polls || turns < want || turns > want+1 {
		t.Errorf("%d operations are run in %d turns, want %d", b.Next, turns, want)
	}
}

// search is a client of many tubes in the middle of a search of three turns, of which the
// first is over: tubes 0 to 3 have been seen.
func search(t *testing.T, kind Kind) (w *world, u *user, b *Batch) {
	w = newManyWorld(t, 1, 5)
	u = w.user("u")
	u.watchMany(11)
	b = batchOf(&u.client, Op{Kind: kind, Poll: kind == Reserve})
	w.s.Tick(w.now)
	if w.s.Run(w.now, b) || u.client.many.seen != 5 {
		t.Fatalf("after one turn %d tubes have been seen", u.client.many.seen)
	}
	return w, u, b
}

// finish runs a search to its end.
func (w *world) finish(b *Batch) *Op {
	for w.s.Tick(w.now); !w.s.Run(w.now, b); {
		w.s.Tick(w.now)
	}
	return &b.Ops[0]
}

// A search finds what comes into tubes that it has seen, and nothing that has gone.
func TestWhatComesDuringASearch(t *testing.T) {
	for _, kind := range []Kind{Reserve, Claim, Offer} {
		for _, c := range []struct {
			name, steps string
			want        uint64
		}{
			{"nothing", "", 0},
			{"in a tube that was seen", "a use t1\n a put 5 0 9 -> 1", 1},
			{"in one that was not", "a use t10\n a put 5 0 9 -> 1", 1},
			{"a better one behind a good one", "a use t1\n a put 5 0 9 -> 1\n a use t10\n a put 4 0 9 -> 2", 2},
			{"a worse one behind a good one", "a use t1\n a put 5 0 9 -> 1\n a use t10\n a put 6 0 9 -> 2", 1},
			{"it goes again", "a use t1\n a put 5 0 9 -> 1\n a delete 1", 0},
			{"it goes again, and another was there", "a use t1\n a put 5 0 9 -> 1\n a use t2\n a put 6 0 9 -> 2\n a " +
				"delete 1", 2},
			{"a better one comes behind it and goes again, when it has hidden another tube's",
				"a use t1\n a put 5 0 9 -> 1\n a put 3 0 9 -> 2\n a use t2\n a put 4 0 9 -> 3\n a delete 2", 1},
			{"the tube is paused", "a use t1\n a put 5 0 9 -> 1\n a pause t1 9", 0},
			{"a pause ends", "a use t1\n a pause t1 9\n a put 5 0 9 -> 1\n a pause t1 0", 1},
			{"a delay ends", "a use t1\n a put 5 1 9 -> 1\n +1s", 1},
			{"in a tube of somebody else's", "a use other\n a put 5 0 9 -> 1", 0},
		} {
			w, u, b := search(t, kind)
			w.run(c.steps)
			op := w.finish(b)
			if got := op.ID; op.Status == OK && got != c.want || (op.Status == OK) != (c.want != 0) {
				t.Errorf("%s: operation %d ends with %v, job %d, want %d", c.name, kind, op.Status, got, c.want)
			}
			if u.client.many.seeking || len(w.s.seekers) != 0 {
				t.Errorf("%s: the search goes on", c.name)
			}
			if err := w.check(); err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
		}
	}
}

// A wait that begins with a search misses nothing either.
func TestNoWakeUpIsLostInASearch(t *testing.T) {
	for _, kind := range []Kind{Reserve, Wait} {
		for _, tube := range []string{"t1", "t4", "t5", "t10"} {
			w, u, b := search(t, kind)
			b.Ops[0].Poll = false
			if kind == Wait {
				b.Ops[0].Ticket = u.Arm()
			}
			w.run("a use " + tube + "\n a put 5 0 9 -> 1")
			w.given = nil
			op := w.finish(b)
			if kind == Reserve && (op.Status != OK || op.ID != 1) || kind == Wait &&
				!slices.Equal(w.given, []string{"u:1"}) {
				t.Errorf("operation %d ends with %v, given are %v", kind, op.Status, w.given)
			}
		}
	}
}

// Clients of many tubes and others are served by one rule: first come, first served.
func TestClientsOfManyTubesKeepTheOrder(t *testing.T) {
	w := newManyWorld(t, 3, 0)
	for _, name := range []string{"w1", "w2", "w3"} {
		w.user(name).watchMany(5)
	}
	w.run(`
		n1 watch t2
		n1 reserve -> waiting
		w1 reserve -> waiting
		n2 watch t2
		n2 reserve -> waiting
		w2 reserve -> waiting
		w3 reserve -> waiting
		w2 withdraw
		a stats-tube t2 -> waiting=4
		a stats-tube t4 -> waiting=2
		a use t4
		a put 5 0 60 -> 1 => w1:1
		a use t2
		a put 5 0 60 -> 2 => n1:2
		a put 5 0 60 -> 3 => n2:3
		a put 5 0 60 -> 4 => w3:4
		a put 5 0 60 -> 5`)
}
