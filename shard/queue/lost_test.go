package queue

import (
	"testing"

	"beanfield/storage"
)

// A passed job whose body cannot be read is buried. Its views are done with it when they
// find that out.
func TestPassedJobWithoutItsBody(t *testing.T) {
	w := newWorld(t)
	w.run(`
		g.a sub 9
		h.x sub 9
		i.x sub 9
		g.a item 1024 k=v -> 1 => g.a:1 h.x:1 i.x:1
		g.a commit 1`)
	w.log.Jobs[1].Damaged = true
	w.replay()
	if err := w.s.Check(); err != nil {
		t.Fatal(err)
	}
	op := Op{Kind: Service, Ask: &Ask{What: AskWatch, Queue: "default", Group: "h", User: "x", Window: 1,
		Limits: testLimits}}
	r := &subscriber{w: w, name: "h.x"}
	op.Ask.Receiver = r
	w.s.Run(w.now, &Batch{Ops: []Op{op}})
	w.s.Tick(w.now)
	list := w.s.TakeDeliveries(nil)
	if len(list) != 1 || !list[0].Lacking() {
		t.Fatalf("%d batches are pushed", len(list))
	}
	b := list[0].Fetch(reads("", storage.ErrNoBody))
	for !w.s.Run(w.now, b) {
	}
	if n := len(list[0].Items); n != 0 {
		t.Errorf("%d items are left of the batch", n)
	}
	w.run(`
		w stats-tube default -> buried=1
		g.a attrs -> length=1 h=0/1/1
		i.y commit 1                   # one that needs no body
		w stats-job 1 -> state=buried
		w delete 1
		g.a attrs -> length=0`)
}
