package queue

import (
	"fmt"
	"slices"
	"testing"
)

// Who is called for an item and leaves in the same turn leaves it to the next.
func TestViewsCallTheNext(t *testing.T) {
	w := newWorld(t)
	w.run("g.a sub 0\nh.x sub 1\nh.y sub 1")
	w.limits.Leaving = second
	l := w.limits
	for _, a := range []Ask{{What: AskPut, User: "a", Group: "g"}, {What: AskLeave, User: "x", Group: "h",
		Receiver: w.subs["h.x"]}} {
		a.Queue, a.Limits = "default", &l
		b := &Batch{Ops: []Op{{Kind: Service, Ask: &a}}}
		w.s.Apply(w.now, b, &b.Ops[0])
	}
	w.dir.Last++
	w.bodies[1] = ""
	w.pushed = nil
	w.feed()
	if !slices.Equal(w.pushed, []string{"h.y:1"}) {
		t.Errorf("pushed are %v", w.pushed)
	}
	if err := w.check(); err != nil {
		t.Error(err)
	}
}

// A view costs at most 24 bytes for a job that it has not delivered, and what it is done
// with is given back with the job.
func TestViewIsSmall(t *testing.T) {
	w := newWorld(t)
	const n = 10_000
	for id := range uint64(n) {
		op := Op{Kind: Service, ID: id + 1, Ask: &Ask{What: AskPut, Queue: "t", Limits: testLimits}}
		b := &Batch{Ops: []Op{op}}
		w.s.Apply(w.now, b, &b.Ops[0])
	}
	for i, group := range []string{"g", "h"} {
		op := Op{Kind: Service, Ask: &Ask{
			What: AskWatch, Queue: "t", Limits: testLimits, Group: group, User: "u", Receiver: &subscriber{w: w,
				name: fmt.Sprint(i)},
		}}
		w.service(&op)
	}
	v := w.s.tubes["t"].service
	h := v.views[0]
	bytes := h.heap.Memory()
	for _, c := range h.places {
		bytes += 4 * cap(c)
	}
	bytes += 2*cap(h.known) + 24*cap(h.places)
	if int(h.heap.N) != n || bytes > 24*n {
		t.Errorf("%d undelivered jobs take %d bytes", h.heap.N, bytes)
	}
	op := Op{Kind: Service, Ask: &Ask{What: AskTruncate, Queue: "t", Limits: testLimits, Index: n + 1}}
	w.service(&op)
	left := 0
	for _, c := range h.places {
		left += len(c)
	}
	if left != 0 || h.heap.N != 0 {
		t.Errorf("of the places %d are left", left)
	}
}
