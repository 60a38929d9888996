package shard

import (
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"beanfield/shard/queue"
)

// stopped is a bench whose process is stopped for a time: the clock goes on, and no timer fires.
func stopped(t *testing.T, durable bool) (b *bench, pass func(time.Duration)) {
	b = newBench(t, durable)
	var skew atomic.Int64
	b.sh.now = func() int64 { return b.now() + skew.Load() }
	return b, func(d time.Duration) { skew.Add(int64(d)) }
}

// What was due before a batch came is done before the batch is run: in place, from the mailbox,
// and with a log.
func TestDueComesBeforeCommands(t *testing.T) {
	tube := []byte("default")
	for name, submit := range map[string]func(b *bench, g *testClient, batch *queue.Batch){
		"in place": func(b *bench, g *testClient, batch *queue.Batch) {
			if !b.sh.Submit(batch) {
				t.Error("the batch is not run in place")
			}
		},
		"mailbox": func(b *bench, g *testClient, batch *queue.Batch) {
			if !b.sh.take() || b.sh.Submit(batch) {
				t.Error("the batch is run in place")
			}
			b.sh.drain(turnBatches)
			b.sh.giveBack()
			<-g.answers
		},
	} {
		for _, durable := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				b, pass := stopped(t, durable)
				g, other := b.newClient(), b.newClient()
				g.put(1, 2, 60)
				g.put(2, 0, 1)
				g.do(queue.Op{Kind: queue.ReserveJob, ID: 2}, queue.Op{Kind: queue.Pause, Data: tube, Delay: 2})
				pass(3 * time.Second)
				batch := other.batch(queue.Op{Kind: queue.StatsTube, Data: tube}, queue.Op{Kind: queue.Reserve,
					Poll: true},
					queue.Op{Kind: queue.Reserve, Poll: true}, queue.Op{Kind: queue.Touch, ID: 2})
				submit(b, other, batch)
				if s := batch.Tubes[0]; s.Ready != 2 || s.Delayed != 0 || s.Reserved != 0 || s.Pause != 0 {
					t.Errorf("%s, durable %t: stats-tube shows %+v", name, durable, s)
				}
				if got := fmt.Sprint(batch.Ops[1].ID, batch.Ops[2].ID); got != "1 2" {
					t.Errorf("%s, durable %t: reserved %s", name, durable, got)
				}
				late := g.do(queue.Op{Kind: queue.Touch, ID: 2}, queue.Op{Kind: queue.Delete, ID: 2})
				if late.Ops[0].Status != queue.NotFound || late.Ops[1].Status != queue.NotFound {
					t.Errorf("%s: who came too late is answered %v, %v", name, late.Ops[0].Status, late.Ops[1].Status)
				}
				b.sh.Close()
			})
		}
	}
}

// A job goes to the waiter that has waited for it, and not to one that comes when it was due
// already. A job that nobody has taken since its deadline can be deleted by who held it, as any
// ready job, but not touched.
func TestWhoComesLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, pass := stopped(t, false)
		g, waiter, other := b.newClient(), b.newClient(), b.newClient()
		waiter.do(queue.Op{Kind: queue.Reserve})
		g.put(1, 1, 1)
		pass(2 * time.Second)
		if got := other.do(queue.Op{Kind: queue.Reserve, Poll: true}); got.Ops[0].Status != queue.TimedOut {
			t.Errorf("a newcomer is answered %v", got.Ops[0].Status)
		}
		if ids, _ := waiter.got(); len(ids) != 1 {
			t.Error("the waiter has nothing")
		}
		pass(2 * time.Second)
		late := waiter.do(queue.Op{Kind: queue.Touch, ID: 1}, queue.Op{Kind: queue.Bury, ID: 1},
			queue.Op{Kind: queue.Release, ID: 1}, queue.Op{Kind: queue.Delete, ID: 1})
		want := []queue.Status{queue.NotFound, queue.NotFound, queue.NotFound, queue.OK}
		for i, w := range want {
			if late.Ops[i].Status != w {
				t.Errorf("operation %d is answered %v, want %v", i, late.Ops[i].Status, w)
			}
		}
		b.sh.Close()
	})
}
