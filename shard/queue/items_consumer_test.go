package queue

import "testing"

// What a consumer is pushed, and when.
func TestPush(t *testing.T) {
	runScripts(t, []script{
		{"what is there is pushed as far as the window goes", `
			g.a item 1024 -> 1
			g.a item 1024 -> 2
			g.a item 1024 -> 3
			g.a sub 2 => g.a:1 g.a:2
			g.a attrs -> length=3 g.a=Running/2/0 g.a.index=2 g=2/2/1
			g.a commit 1 => g.a:3
			g.a commit 2 3
			g.a attrs -> length=0 g.a=Running/0/2 g=0/3/1`},
		{"a put is pushed at once, by turns, in the order of arrival", `
			g.a sub 2
			g.b sub 2
			g.a item 1024 -> 1 => g.a:1
			g.a item 1024 -> 2 => g.b:2
			g.a item 1024 -> 3 => g.a:3
			g.a item 1024 -> 4 => g.b:4
			g.a item 1024 -> 5
			g.b commit 2 => g.b:5`},
		{"urgent items go first", `
			g.a item 1024 -> 1
			g.a item 1000 -> 2
			g.a sub 5 => g.a:2 g.a:1`},
		{"auto-commit empties the queue, and no window counts", `
			g.a item 1024 k=v -> 1
			g.a item 1024 -> 2
			g.a sub 0 auto => g.a:1 g.a:2
			g.a attrs -> length=0 g.a=Running/0/0 g=0/2/1
			g.a item 1024 -> 3 => g.a:3`},
		{"index only", `
			g.a item 1024 k=v -> 1
			g.a sub 1 only => g.a:1`},
	})
}

// Consumers beside workers, pauses, slow connections and other groups.
func TestPushBesideOthers(t *testing.T) {
	runScripts(t, []script{
		{"a worker and consumers stand in one line", `
			w reserve -> waiting
			g.a sub 1
			x reserve -> waiting
			g.p item 1024 -> 1 => w:1
			g.p item 1024 -> 2 => g.a:2
			w put 1024 0 60 -> 3 => x:3
			w stats-tube default -> watching=3 waiting=0 reserved=3 ready=0
			w delete 2 -> no
			w release 1 1024 0
			g.a commit 2 => g.a:1
			x bury 3 1024
			g.a commit 1
			x kick 1 -> 1 => g.a:3
			w stats-job 3 -> state=reserved left=60`},
		{"a paused queue pushes nothing", `
			g.a sub 2
			g.b sub 2
			w pause default 5
			g.a item 1024 -> 1
			g.a item 1024 -> 2
			g.a item 1024 -> 3
			+5s => g.a:1 g.a:3 g.b:2`},
		{"a connection is sent no more than it can take", `
			limits unsent=50
			g.a item 1024 -> 1
			g.a item 1024 -> 2
			g.a item 1024 -> 3
			g.a sub 9 => g.a:1 g.a:2
			g.a sent => g.a:3
			g.a item 1024 -> 4 => g.a:4
			g.a item 1024 -> 5
			g.a sent => g.a:5`},
		{"another limit of what is unsent holds from the next watch on", `
			limits unsent=100
			g.a sub 9
			limits unsent=50
			g.a item 1024 -> 1 => g.a:1
			g.a item 1024 -> 2 => g.a:2
			g.a item 1024 -> 3 => g.a:3
			g.a item 1024 -> 4
			g.a sub 9 => g.a:replaced g.a:1 g.a:2
			g.a sent => g.a:3 g.a:4`},
		{"another group's name is no consumer's", `
			g.a sub 1
			g.a commit 7 0
			h.a commit 1
			g.a item 1024 -> 1 => g.a:1
			h.a commit 1
			g.b commit 1
			g.a attrs -> length=0`},
	})
}

// A consumer that watches again, and what it had.
func TestTakeover(t *testing.T) {
	runScripts(t, []script{
		{"a new connection takes over, and is sent its items again before new ones", `
			g.a item 1024 -> 1
			g.a item 1024 -> 2
			g.a item 1024 -> 3
			g.a sub 2 => g.a:1 g.a:2
			g.a sub 3 => g.a:replaced g.a:1 g.a:2 g.a:3
			g.a attrs -> g.a=Running/3/0 consumers=1`},
		{"with a smaller window it keeps fewer", `
			g.b sub 1
			g.a sub 3
			g.a item 1024 -> 1 => g.b:1
			g.a item 1024 -> 2 => g.a:2
			g.a item 1024 -> 3 => g.a:3
			g.a item 1024 -> 4 => g.a:4
			g.b commit 1
			g.a sub 1 => g.a:replaced g.a:2 g.b:3
			g.a attrs -> length=3 g.a=Running/1/0`},
		{"with auto-commit its items are done when they are sent again", `
			g.a item 1024 -> 1
			g.a sub 1 => g.a:1
			g.a sub 1 auto => g.a:replaced g.a:1
			g.a attrs -> length=0 g.a=Running/0/0`},
	})
}

// Q2: who comes back with a smaller window is sent again what fits, and others get the rest.
func TestComeBackWithASmallerWindow(t *testing.T) {
	runScripts(t, []script{{"in the first group and in a view", `
		g.a sub 3
		h.x sub 3
		g.a item 1024 -> 1 => g.a:1 h.x:1
		g.a item 1024 -> 2 => g.a:2 h.x:2
		g.a sub 1 => g.a:replaced g.a:1
		w poll -> 2
		h.x sub 1 => h.x:replaced h.x:1
		h.y sub 3 => h.y:2`}})
}

// Items whose times pass go to others in the order of their deadlines, whether they stand
// in a consumer's row or not.
func TestDeadlinesOutOfOrder(t *testing.T) {
	f := newPushField(0, 0)
	c := &Client{}
	f.apply(c, Op{Kind: Use, Data: []byte("tube0")})
	f.watchAll("tube0", 1, 100)
	before := f.id
	for _, ttr := range []uint32{5, 7, 7, 3, 9, 4} {
		f.id++
		f.apply(c, Op{Kind: Put, ID: f.id, TTR: ttr})
	}
	f.endTurn()
	holder := f.s.tubes["tube0"].service.first.users["0"]
	if holder.row.N != 4 || holder.client.ttrs.N != 2 {
		t.Fatalf("%d deadlines in the row, %d in the heap", holder.row.N, holder.client.ttrs.N)
	}
	for _, nth := range []uint64{4, 6, 1, 2, 3, 5} {
		want := before + nth
		e := holder.client.first()
		if got := f.s.jobs.At(e.Slot).id(); got != want {
			t.Errorf("the next deadline is that of item %d, want %d", got, want)
		}
		if at := f.s.Next(); at != int64(e.Major) {
			t.Errorf("the shard wakes at %d, the deadline is %d", at, e.Major)
		}
		f.ask(&Ask{What: AskCommit, Queue: "tube0", Group: "g", User: "0", Limits: &f.limits, Indexes: []uint64{want}})
		f.endTurn()
		if err := f.s.Check(); err != nil {
			t.Fatal(err)
		}
	}
}
