package queue

import (
	"fmt"
	"testing"
)

// What a restart brings back of a queue with views.
func TestViewsRestart(t *testing.T) {
	runScripts(t, []script{
		{"each group goes on where it was", `
			g.a sub 5
			h.x sub 5
			g.a item 0 -> 1 => g.a:1 h.x:1
			g.a item 0 k=v -> 2 => g.a:2 h.x:2
			g.a item 0 -> 3 => g.a:3 h.x:3
			w put 0 0 60 -> 4 => g.a:4 h.x:4
			h.x commit 1 4
			g.a commit 2
			restart
			w stats-tube default -> ready=3 reserved=0
			w peek 2 -> no
			h.x sub 9 => h.x:2 h.x:3
			g.a sub 9 => g.a:1 g.a:3 g.a:4
			g.a commit 1 4
			g.a attrs -> length=2 groups=2
			h.x commit 2
			g.a attrs -> length=1
			restart
			g.a attrs -> length=1
			h.x commit 3
			g.a sub 9 => g.a:3
			g.a commit 3
			g.a attrs -> length=0
			h.x sub 9`},
		{"buried and delayed jobs are a view's, too", `
			g.a sub 0
			w put 0 0 60 -> 1
			w poll -> 1
			h.x sub 1 => h.x:1
			w bury 1 0
			w put 0 9 60 -> 2
			restart
			h.x sub 9 => h.x:1
			+10s => h.x:2`},
	})
}

func TestViewsCountOn(t *testing.T) {
	runScripts(t, []script{
		{"what was refused counts on", `
			limits delivery=4
			g.a sub 0
			h.x sub 1
			g.a item 0 k=v -> 1 => h.x:1
			w put 0 0 60 -> 2
			h.x negative Bad why 1 => h.x:1/2
			h.x negative Worse why 1 => h.x:1/3
			restart
			h.x sub 2 => h.x:1/3 h.x:2
			q search default 1 group=h -> sent=3 code=Worse
			h.x negative Bad why 2 => h.x:2/2
			w poll -> 1
			w release 1 0 9
			restart
			w delete 1
			w put 0 0 60 -> 3
			h.x sub 2 => h.x:2/2 h.x:3`},
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

func TestViewsRecord(t *testing.T) {
	runScripts(t, []script{
		{"a view that was dropped is not there, and its number is not another's", `
			g.a sub 0
			h.x sub 9
			g.a item 0 -> 1 => h.x:1
			h.x commit 1
			h.x drop => h.x:removed
			restart
			g.a attrs -> groups=1 length=1
			i.x sub 9 => i.x:1
			i.x commit 1
			g.a drop
			i.x drop => i.x:removed
			restart
			g.a sub 0
			j.x sub 9 => j.x:1
			restart
			j.x sub 9 => j.x:1`},
		{"tags and start", `
			g.a sub 0
			g.a item 0 k=v -> 1
			h.x sub 9 index=2 k=v
			restart
			g.a item 0 k=v -> 2
			g.a item 0 -> 3
			h.x sub 9 => h.x:2
			g.a item 0 k=v -> 4 => h.x:4`},
	})
}

// What a view's commit does to the first group's place of a job.
func TestViewCommitsKeepPlaces(t *testing.T) {
	runScripts(t, []script{
		{"a view's commit leaves a job where the first group has it", `
			g.a sub 0
			h.x sub 9
			w put 0 0 60 -> 1 => h.x:1
			w put 0 0 60 -> 2 => h.x:2
			w put 0 0 60 -> 3 => h.x:3
			w poll -> 1
			w bury 1 0
			w poll -> 2
			w release 2 0 50
			w poll -> 3
			h.x commit 1 2 3
			w reserve-job 1 -> 1
			restart
			w stats-tube default -> buried=1 delayed=1 ready=1
			h.x sub 9
			w reserve-job 1 -> 1
			w reserve-job 2 -> 2
			i.x sub 9 => i.x:1 i.x:2 i.x:3
			i.x commit 1
			restart              # a job that is held is logged as ready
			w stats-tube default -> buried=0 delayed=1 ready=2`},
	})
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
			What: AskWatch, Queue: "t", Limits: testLimits, Group: group, User: "u", Receiver: &subscriber{w: w, name: fmt.Sprint(i)},
		}}
		w.applyAsk(&op)
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
	w.applyAsk(&op)
	left := 0
	for _, c := range h.places {
		left += len(c)
	}
	if left != 0 || h.heap.N != 0 {
		t.Errorf("of the places %d are left", left)
	}
}
