package queue

import (
	"fmt"
	"testing"

	"beanfield/shard/queue/queuetest"
)

// What of consumers the model does not have: what is told of them, how much a connection is sent,
// and limits that change.
func TestConsumers(t *testing.T) {
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
		{"index only", `
			g.a item 1024 k=v -> 1
			g.a sub 1 only => g.a:1`},
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
		{"a deadline that passes at a consumer is a rebalance", `
			limits idle=1500ms delivery=3
			g.a sub 1
			g.b sub 1
			g.a item 1024 -> 1 => g.a:1
			w stats-job 1 -> ttr=2 left=2
			+2s => g.b:1/2
			+1s
			g.a sub 1 => g.a:replaced
			+1s => g.a:1/3
			w stats-job 1 -> timeouts=2
			restart
			g.a sub 1 => g.a:1/3`},
	})
}

// All that a turn sends to a consumer is one batch: each has its own together when a pause ends.
func TestATurnSendsOneBatch(t *testing.T) {
	newWorld(t).run(`
		g.a sub 2
		g.b sub 2
		w pause default 5
		g.a item 1024 -> 1
		g.a item 1024 -> 2
		g.a item 1024 -> 3
		+5s => g.a:1 g.a:3 g.b:2`)
}

// Nor how long one that has left is remembered.
func TestConsumersThatLeave(t *testing.T) {
	runScripts(t, []script{
		{"who leaves with nothing pending is complete", `
			limits leaving=10s
			g.a sub 1
			w stats-tube default -> watching=2 waiting=1
			g.a leave
			w stats-tube default -> watching=1 waiting=0
			g.a attrs -> g.a=Complete/0/1
			g.a item 1024 -> 1
			+299s
			g.a attrs -> consumers=1
			+2s
			g.a attrs -> consumers=0 groups=1`},
		{"who leaves with items keeps them for a while", `
			limits leaving=10s
			g.a sub 2
			g.a item 1024 -> 1 => g.a:1
			g.a item 1024 -> 2 => g.a:2
			g.b sub 3
			g.a leave
			g.a attrs -> g.a=Leaving/2/0
			+9s
			g.a commit 1
			g.a attrs -> g.a=Leaving/1/1
			+1s => g.b:2/2
			g.a attrs -> g.a=Exit/0/2 g.b=Running/1/2
			g.a sub 0
			g.a leave
			g.a commit 2
			g.a attrs -> length=0 g.a=Complete/0/0`},
		{"how long it is shown", `
			limits forget=2s leaving=3s
			g.a sub 1
			g.b sub 1
			g.b leave
			+1s
			g.a item 1024 -> 1 => g.a:1
			g.a leave
			g.c sub 0
			+1s
			g.a attrs -> consumers=2 g.a=Leaving/1/0
			+2s
			g.a attrs -> g.a=Exit/0/1
			+2s
			g.a attrs -> consumers=1`},
		{"and when that is changed, for whom it was longer", `
			limits forget=24h
			g.a sub 1
			g.a leave
			x.a@other sub 1
			x.a@other leave
			limits forget=2s
			y.a@third sub 0
			x.a@other attrs -> consumers=1
			+2s
			x.a@other attrs -> consumers=0
			g.a attrs -> consumers=0`},
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

// However many consumers come and go, few are remembered.
func TestDepartedConsumersAreBounded(t *testing.T) {
	f := newPushField(0, 1)
	for i := range departedMost + 50 {
		k := &sink{f: f, user: fmt.Sprint(i)}
		f.ask(&Ask{What: AskWatch, Queue: "q", Group: "g", User: k.user, Limits: &f.limits, Receiver: k, Window: 1})
		f.endTurn()
		f.ask(&Ask{What: AskLeave, Queue: "q", Group: "g", User: k.user, Limits: &f.limits, Receiver: k})
		f.endTurn()
	}
	if err := f.s.Check(); err != nil {
		t.Error(err)
	}
	users := f.s.tubes["q"].service.first.users
	if len(users) != departedMost || users["49"] != nil || users["50"] == nil {
		t.Errorf("%d consumers are remembered, want the latest %d", len(users), departedMost)
	}
	f.now += forgetAfter
	f.endTurn()
	if len(users) != 0 {
		t.Errorf("%d consumers are remembered for ever", len(users))
	}
}

// Delivery batches that come back are used again, as far as they take little memory together.
func TestSpareBatches(t *testing.T) {
	s := NewState(Config{Directory: queuetest.Deaf{}})
	for range 100 {
		s.spare(&DeliveryBatch{Bytes: make([]byte, 30<<10)})
		s.spare(&DeliveryBatch{Bytes: make([]byte, spareMost)})
	}
	kept := len(s.spares)
	if s.spareBytes > sparesMost || kept < 60 || kept > 70 {
		t.Errorf("%d batches of %d bytes are kept", kept, s.spareBytes)
	}
	for range kept {
		if p := s.newDeliveryBatch(); cap(p.Bytes) != 30<<10 {
			t.Errorf("a batch of %d bytes", cap(p.Bytes))
		}
	}
	if p := s.newDeliveryBatch(); p.Bytes != nil || s.spareBytes != 0 {
		t.Errorf("%d bytes are kept of none", s.spareBytes)
	}
}
