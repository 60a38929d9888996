package queue

import (
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
		{"an item that the first group has done is the views' only", `
			g.a sub 1
			h.x sub 1
			g.a item 1024 k=v -> 1 => g.a:1 h.x:1
			g.a commit 1
			w peek 1 -> no
			w delete 1 -> no
			w stats-job 1 -> no
			w reserve-job 1 -> no
			w kick-job 1 -> no
			w bury 1 0 -> no
			w touch 1 -> no
			w quarantine 1 -> no
			w stats-tube default -> ready=0 reserved=0 delayed=0 buried=0 deletes=1
			w totals -> ready=0 reserved=0
			q get default -> 1
			q get default take -> empty
			q count default -> 1
			g.a attrs -> length=1
			h.x commit 1
			g.a attrs -> length=0`},
	})
}

// How items of a queue with views end.
func TestViewsEnd(t *testing.T) {
	runScripts(t, []script{
		{"a worker's delete is the first group's; of what nobody holds, the end", `
			g.a sub 1
			h.x sub 1
			w reserve -> waiting
			g.a item 1024 -> 1 => g.a:1 h.x:1
			g.a item 1024 -> 2 => w:2
			w delete 2
			h.x commit 1 => h.x:2
			g.a commit 1
			g.a attrs -> length=1
			h.x commit 2
			w put 1024 0 60 -> 3 => g.a:3 h.x:3
			w put 1024 0 60 -> 4
			w delete 4
			h.x commit 3
			g.a attrs -> length=1`},
		{"deletes, truncates and gets that take end items for all", `
			g.a sub 1
			h.x sub 1
			g.a item 1024 -> 1 => g.a:1 h.x:1
			g.a item 1024 -> 2
			g.a item 1024 -> 3
			g.a item 1024 -> 4
			g.a item 1024 -> 5
			q delete default 1 => g.a:2 h.x:2
			q get default take -> 3
			g.a commit 2 => g.a:4
			q trunc default 5 => h.x:5 g.a:5
			g.a attrs -> length=1`},
		{"urgent items go first, auto-commit empties the view", `
			g.a sub 9
			g.a item 1024 -> 1 => g.a:1
			g.a item 1000 -> 2 => g.a:2
			g.a item 1024 -> 3 => g.a:3
			h.x sub 0 auto => h.x:2 h.x:1 h.x:3
			g.a attrs -> length=3 h=0/3/1
			g.a commit 2 1 3
			g.a attrs -> length=0`},
	})
}

// Where a view begins, and what joins it.
func TestViewsBegin(t *testing.T) {
	runScripts(t, []script{
		{"with all that is there", `
			w put 0 0 60 -> 1
			w put 0 0 60 -> 2
			w put 0 9 60 -> 3
			w put 0 0 60 -> 4
			w poll -> 1
			w bury 1 0
			w poll -> 2
			g.a sub 0
			h.x sub 9 => h.x:1 h.x:2 h.x:4
			w release 2 0 5
			+5s
			+4s => h.x:3
			h.x commit 1 2 3 4
			g.a attrs -> length=4`},
		{"from an index, or with what comes", `
			g.a sub 0
			g.a item 0 -> 1
			g.a item 0 -> 2
			h.x sub 9 index=2 => h.x:2
			i.x sub 9 index=new
			g.a item 0 -> 3 => h.x:3 i.x:3
			w kick-job 1 -> no
			w reserve-job 1 -> 1
			w release 1 0 0`},
		{"with tags", `
			g.a sub 0
			g.a item 0 -> 1
			g.a item 0 k=v -> 2
			h.x sub 9 k=v => h.x:2
			g.a item 0 -> 3
			g.a item 0 k=v l=w -> 4 => h.x:4
			h.x sub 9 => h.x:replaced h.x:2 h.x:4
			q delete default 1 3
			w poll -> 2
			w delete 2
			w reserve-job 4 -> 4
			h.x commit 2 4
			g.a attrs -> length=1`},
		{"the first group may go, and a view stays", `
			g.a sub 1
			h.x sub 1
			g.a item 0 -> 1 => g.a:1 h.x:1
			g.a drop => g.a:removed
			g.a attrs -> groups=1 length=1
			h.y sub 1
			g.b sub 1 => g.b:1
			g.a attrs -> groups=2`},
		{"a paused queue sends no group anything", `
			g.a sub 1
			h.x sub 2
			w pause default 5
			g.a item 0 -> 1
			g.a item 0 -> 2
			+5s => g.a:1 h.x:1 h.x:2`},
	})
}

// What a view takes back.
func TestViewsRebalance(t *testing.T) {
	runScripts(t, []script{
		{"a negative brings an item to another, and counts", `
			limits delivery=3
			g.a sub 0
			h.x sub 1
			h.y sub 1
			g.a item 0 -> 1 => h.x:1
			h.x negative Bad why 1 => h.y:1/2
			q search default 1 -> code=Bad
			h.x negative Bad why 1
			h.y negative Shutdown bye 1 => h.x:1/3
			g.a attrs -> h=1/3/2
			h.x commit 1
			g.a attrs -> h=0/3/2 length=1`},
	})
}

// Dead letters of a queue with views.
func TestViewsDeadLetters(t *testing.T) {
	runScripts(t, []script{
		{"the dead letter of a view moves when all groups are done", `
			limits delivery=2
			g.a sub 1
			h.x sub 1
			g.a item 0 -> 1 => g.a:1 h.x:1
			h.x negative Bad why 1 => h.x:1/2
			h.x negative Bad why 1
			g.a attrs -> length=1 rear=0 h=0/2/1
			g.a commit 1
			g.a attrs -> length=0 rear=1
			q get default;rear -> 1`},
		{"and so does that of the first group", `
			limits delivery=1 dead=bury
			g.a sub 1
			h.x sub 1
			g.a item 0 -> 1 => g.a:1 h.x:1
			g.a negative Bad why 1
			w peek 1 -> no
			h.x commit 1
			w peek-buried -> 1
			g.a attrs -> length=1
			w kick 1 -> 1 => g.a:1/2`},
		{"what is sent again has its time again", `
			limits idle=5s
			h.a sub 0
			g.x sub 2
			h.a item 0 -> 1 => g.x:1
			+2s
			h.a item 0 -> 2 => g.x:2
			+2s
			g.x sub 2 => g.x:replaced g.x:1 g.x:2
			+4s
			+1s => g.x:1/2 g.x:2/2`},
		{"what is counted of an item goes with it", `
			g.a sub 0
			h.x sub 1
			g.a item 0 -> 1 => h.x:1
			h.x negative Bad why 1 => h.x:1/2
			q delete default 1
			g.a item 0 -> 2 => h.x:2`},
		{"dropped", `
			limits delivery=1 dead=drop
			g.a sub 1
			h.x sub 1
			g.a item 0 -> 1 => g.a:1 h.x:1
			h.x negative Bad why 1
			g.a commit 1
			g.a attrs -> length=0 rear=0`},
	})
}

// What views take back after a time.
func TestViewsIdle(t *testing.T) {
	runScripts(t, []script{
		{"what is idle for too long", `
			limits idle=5s
			h.a sub 0
			g.x sub 1
			g.y sub 1
			h.a item 0 -> 1 => g.x:1
			+4s
			h.a item 0 -> 2 => g.y:2
			+1s => g.x:1/2
			g.y commit 2
			+4s
			+1s => g.y:1/3
			h.a attrs -> g=1/4/2`},
		{"what was idle another one with room gets", `
			limits idle=5s
			h.a sub 0
			g.x sub 3
			h.a item 0 -> 1 => g.x:1
			g.y sub 3
			+5s => g.y:1/2
			g.y leave => g.x:1/3`},
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
	})
}

// Consumers of a view come and go.
func TestViewsLeave(t *testing.T) {
	runScripts(t, []script{
		{"a new connection takes over and is sent its items again", `
			g.a sub 0
			h.x sub 2
			h.y sub 1
			g.a item 0 -> 1 => h.x:1
			g.a item 0 -> 2 => h.y:2
			g.a item 0 -> 3 => h.x:3
			h.x sub 2 => h.x:replaced h.x:1 h.x:3
			h.x sub 1 => h.x:replaced h.x:1
			h.y commit 2 => h.y:3
			h.x sub 5 auto => h.x:replaced h.x:1
			g.a attrs -> h.x=Running/0/0`},
		{"who leaves keeps its items for a while", `
			limits leaving=10s
			g.a sub 0
			h.x sub 2
			h.y sub 9
			g.a item 0 -> 1 => h.x:1
			g.a item 0 -> 2 => h.y:2
			g.a item 0 -> 3 => h.x:3
			h.x leave
			g.a attrs -> h.x=Leaving/2/0
			g.a item 0 -> 4 => h.y:4
			+10s => h.y:1/2 h.y:3/2
			g.a attrs -> h.x=Exit/0/2
			h.x sub 1
			g.a item 0 -> 5 => h.y:5
			h.x leave
			g.a attrs -> h.x=Complete/0/1`},
	})
}

func TestViewsDrop(t *testing.T) {
	runScripts(t, []script{
		{"a dropped view lets go of what it had", `
			g.a sub 9
			h.x sub 1
			h.y sub 1
			i.x sub 9
			g.a item 0 -> 1 => g.a:1 h.x:1 i.x:1
			g.a item 0 -> 2 => g.a:2 h.y:2 i.x:2
			g.a item 0 -> 3 => g.a:3 i.x:3
			i.x commit 1 2
			g.a commit 2 3
			g.a attrs -> length=3 groups=3
			h.x drop => h.y:removed h.x:removed
			g.a attrs -> length=2 groups=2
			h.x commit 1
			h.x drop -> no
			h.x sub 9 => h.x:1 h.x:3
			i.x commit 3
			g.a attrs -> length=2
			h.x commit 3
			g.a attrs -> length=1`},
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
	})
}

// The tube of a queue ends with its last group, once.
func TestDropLastGroup(t *testing.T) {
	runScripts(t, []script{
		{"a consumer is there", `
			g.a@q sub 5
			g.a@q drop => g.a@q:removed
			g.a@x item 0 -> 1
			g.a@y item 0 -> 2
			g.a@x sub 5 => g.a@x:1
			g.a@y sub 5 => g.a@y:2`},
		{"its only item has become a dead letter", `
			limits delivery=1
			g.a@q item 0 -> 1
			g.a@q sub 5 => g.a@q:1
			g.a@q negative Bad why 1
			g.a@q drop => g.a@q:removed
			g.a@x item 0 -> 2
			g.a@q item 0 -> 3
			g.a@q;rear sub 5 => g.a@q;rear:1
			g.a@q sub 5 => g.a@q:3`},
	})
}

// Who is called for an item and leaves in the same turn leaves it to the next.
func TestViewsCallTheNext(t *testing.T) {
	w := newWorld(t)
	w.run("g.a sub 0\nh.x sub 1\nh.y sub 1")
	w.limits.Leaving = second
	l := w.limits
	for _, a := range []Ask{{What: AskPut, User: "a", Group: "g"}, {What: AskLeave, User: "x", Group: "h", Receiver: w.subs["h.x"]}} {
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

// The end of an item that the first group has done is not counted again.
func TestDeletesOfPassed(t *testing.T) {
	runScripts(t, []script{
		{"once", `
			g.a sub 1
			h.a sub 1
			g.a item 0 -> 1 => g.a:1 h.a:1
			g.a commit 1
			w stats-tube default -> deletes=1
			q delete default 1
			w stats-tube default -> deletes=1`},
	})
}
