package queue

import (
	"fmt"
	"slices"
	"testing"
)

// Two groups of a queue: the first is the tube, the second a view.
func TestViews(t *testing.T) {
	runScripts(t, []script{
		{"each group gets each item", `
			g.a sub 5
			h.x sub 2
			h.y sub 2
			g.a item 1024 -> 1 => g.a:1 h.x:1
			g.a item 1024 -> 2 => g.a:2 h.y:2
			g.a item 1000 -> 3 => g.a:3 h.x:3
			g.a item 1024 -> 4 => g.a:4 h.y:4
			g.a item 1000 -> 5 => g.a:5
			g.a item 1024 -> 6
			g.a attrs -> length=6 g=5/5/1 h=4/4/2 groups=2 consumers=3
			h.x commit 1 => h.x:5
			h.y commit 3 => h.x:6
			h.y commit 2 4 5 6
			g.a commit 1 2 3 4 5 => g.a:6
			g.a commit 6
			g.a attrs -> length=0 g=0/6/1 h=0/6/2`},
		{"another limit holds for what is pending", `
			h.a sub 0
			g.x sub 1
			h.a item 0 -> 1 => g.x:1
			+9s
			limits idle=10s
			h.a attrs -> length=1
			+1s => g.x:1/2
			limits idle=0s
			h.a attrs -> length=1
			+99s
			limits idle=5s
			h.a attrs -> length=1 => g.x:1/3`},
		{"one that is sent no more than it can take", `
			limits unsent=50
			g.a sub 0
			h.x sub 9
			h.y sub 1
			g.a item 0 -> 1 => h.x:1
			g.a item 0 -> 2 => h.y:2
			g.a item 0 -> 3 => h.x:3
			g.a item 0 -> 4
			h.x sent => h.x:4`},
		{"a dead letter waits for the last group", `
			limits delivery=1
			g.a sub 1
			h.x sub 1
			g.a item 0 -> 1 => g.a:1 h.x:1
			g.a negative Bad why 1
			restart
			w peek 1 -> no
			h.x sub 1 => h.x:1
			h.x commit 1
			g.a attrs -> length=0 rear=1`},
	})
}

// The log's record of a queue ends with the last thing that needs it.
func TestRecordOfAQueue(t *testing.T) {
	runScripts(t, []script{
		{"a queue without groups ends with its last job, though a get waits for another", `
			g.a@t sub 1
			h.x@t sub 1
			q put t -> 1 => g.a@t:1 h.x@t:1
			h.x@t drop => h.x@t:removed
			g.a@t drop => g.a@t:removed
			q get t k=v wait=n -> waiting
			w delete 1
			restart
			w stats-tube t -> no`},
	})
}

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
	w.lastID++
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

// A view of many jobs is made, emptied and ended in shares, and what others do meanwhile
// is not lost.
func TestViewsTakeShares(t *testing.T) {
	w := newManyWorld(t, 0, 4*moving)
	const n = 300
	w.stock("default", n)
	w.run("g.a sub 0")
	wants := ""
	for id := 1; id <= n; id++ {
		wants += fmt.Sprint(" h.x:", id)
	}
	w.slices = 0
	w.run("h.x sub 300 =>" + wants)
	if w.slices < 10 {
		t.Errorf("a view is made in %d turns", w.slices)
	}
	w.run("g.a attrs -> length=300 h=300/300/1")
	for id := range n / 2 {
		w.run(fmt.Sprintf("w reserve-job %d -> %d\nw delete %d", id+1, id+1, id+1))
	}
	w.run("w stats-tube default -> ready=150\ng.a attrs -> length=300")
	w.run("q trunc default 51\ng.a attrs -> length=250 h=250/300/1")
	w.slices = 0
	w.run("h.x drop => h.x:removed\ng.a attrs -> length=150 groups=1")
	w.run("w stats-tube default -> ready=150")
	if n := w.s.pendings.Used(); n != 0 {
		t.Errorf("%d pendings are in use", n)
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
