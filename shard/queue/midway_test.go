package queue

import (
	"slices"
	"testing"

	"beanfield/shard/queue/cells"
)

// midway runs turns of an operation of the queue service until it has come to a point, and
// not further.
func (w *world) midway(a Ask, there func(a *Ask) bool) *Batch {
	w.t.Helper()
	a.Limits = testLimits
	b := &Batch{Ops: []Op{{Kind: Service, Ask: &a}}}
	for turns := 0; turns == 0 || !there(&a); turns++ {
		if turns == 100 || w.s.Run(w.now, b) {
			w.t.Fatalf("after %d turns the operation has not been there: %+v", turns, b.Ops[0])
		}
		w.s.Tick(w.now)
	}
	return b
}

// A worker's job gets another priority while a view that has it is being removed: the
// view's heap is empty, and its places are not.
func TestJobChangesWhileAViewIsRemoved(t *testing.T) {
	for _, does := range []string{"w release 1 5 0", "w release 1 5 9", "w bury 1 5"} {
		w := newManyWorld(t, 0, 1)
		w.run(`
			g.a sub 0
			h.x sub 0
			w put 1024 0 60 -> 1
			w put 1024 0 60 -> 2
			w reserve -> 1`)
		v := w.s.tubes["default"].service.views[0]
		b := w.midway(Ask{What: AskDropGroup, Queue: "default", Group: "h"}, func(*Ask) bool { return v.emptied })
		slot := w.s.index.find(&w.s.jobs, 1)
		if v.where(slot) == cells.Nowhere {
			t.Fatal("the view has forgotten the job")
		}
		w.run(does)
		w.finish(b)
		w.run("g.a attrs -> length=2 groups=1")
	}
}

// An item that becomes ready behind a get, which has found nothing yet and goes on in
// another turn, is found.
func TestGetGoesBack(t *testing.T) {
	past := func(id uint64) func(*Ask) bool { return func(a *Ask) bool { return a.from > id } }
	before := func(id uint64) func(*Ask) bool { return func(a *Ask) bool { return a.from <= id } }
	for _, c := range []struct {
		name, steps, behind string
		ask                 Ask
		there               func(*Ask) bool
		want                uint64
	}{
		{"one that takes", "w watch t\n w poll -> 1", "w release 1 0 0", Ask{Take: true}, past(1), 1},
		{"one that looks", "w watch t\n w poll -> 1\n w release 1 0 9", "+9s", Ask{}, past(1), 1},
		{"one that begins behind it", "w watch t\n w poll -> 1", "w release 1 0 0", Ask{Take: true, Index: 2}, past(2),
			0},
		{"with other tags", "w watch t\n w reserve-job 2 -> 2", "w release 2 0 0",
			Ask{Take: true, Tags: tagsFrom([]string{"x=y"})}, past(2), 0},
		{"the newest", "w watch t\n w reserve-job 4 -> 4", "w release 4 0 0", Ask{Take: true, Index: NewestIndex,
			Tags: tagsFrom([]string{"l=w"})}, before(4), 4},
	} {
		w := newManyWorld(t, 0, 1)
		w.run("q put t k=v -> 1\n q put t -> 2\n q put t -> 3\n q put t l=w -> 4")
		w.run(c.steps)
		c.ask.What, c.ask.Queue, c.ask.Length = AskGet, "t", 1
		c.ask.Wait, c.ask.Getter = true, w.caller("get")
		if c.ask.Tags == nil {
			c.ask.Tags = tagsFrom([]string{"k=v"})
		}
		b := w.midway(c.ask, c.there)
		w.run(c.behind)
		op := w.finish(b)
		switch {
		case c.want == 0 && op.Status != Waiting:
			t.Errorf("%s: the get ends with %v, want %v", c.name, op.Status, Waiting)
		case c.want != 0 && (op.Status != OK || op.Ask.Found.Items[0].Index != c.want):
			t.Errorf("%s: the get ends with %v and does not find item %d", c.name, op.Status, c.want)
		}
		if err := w.check(); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// While a first group is removed, none of its consumers is sent what another one had.
func TestFirstGroupIsRemoved(t *testing.T) {
	w := newManyWorld(t, 0, 1)
	w.run(`
		g.a sub 2
		g.b sub 1
		g.p item 1024 -> 1 => g.a:1
		g.p item 1024 -> 2 => g.b:2`)
	w.pushed = nil
	b := &Batch{Ops: []Op{{Kind: Service, Ask: &Ask{What: AskDropGroup, Queue: "default", Group: "g",
		Limits: testLimits}}}}
	for !w.s.Run(w.now, b) {
		w.s.Tick(w.now)
		w.take()
	}
	if want := []string{"g.b:removed", "g.a:removed"}; !slices.Equal(w.pushed, want) {
		t.Errorf("they hear %q, want %q", w.pushed, want)
	}
}
