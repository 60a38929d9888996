package queue

import (
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
		for !w.s.Run(w.now, b) {
			w.s.Tick(w.now)
		}
		w.run("g.a attrs -> length=2 groups=1")
	}
}
