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
