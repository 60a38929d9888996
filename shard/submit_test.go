package shard

import (
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"beanfield/shard/queue"
)

// Many goroutines submit to one shard: everything is applied exactly once, and each sees its
// own operations in order. S2: nobody else touches the queue meanwhile.
func TestSubmitConcurrently(t *testing.T) {
	for _, durable := range []bool{false, true} {
		const workers, rounds = 8, 1500
		b := newBench(t, durable)
		var ids atomic.Uint64
		var taken sync.Map
		var wg sync.WaitGroup
		for n := range workers {
			g := b.newClient()
			wg.Go(func() {
				for i := range rounds {
					id := ids.Add(1)
					batch := g.batch(
						queue.Op{Kind: queue.Put, ID: id, Pri: uint32(i % 3), TTR: 60, Data: []byte("12345678"),
							Size: 8},
						queue.Op{Kind: queue.Reserve, Poll: true},
					)
					g.run(batch)
					got := &batch.Ops[1]
					if batch.Ops[0].Status != queue.OK || got.Status != queue.OK || string(batch.Bytes) != "12345678" {
						t.Errorf("worker %d: %v, %v, %q", n, batch.Ops[0].Status, got.Status, batch.Bytes)
						return
					}
					if _, twice := taken.LoadOrStore(got.ID, true); twice {
						t.Errorf("job %d is handed out twice", got.ID)
					}
					batch = g.batch(queue.Op{Kind: queue.Delete, ID: got.ID}, queue.Op{Kind: queue.Delete, ID: got.ID})
					g.run(batch)
					if batch.Ops[0].Status != queue.OK || batch.Ops[1].Status != queue.NotFound {
						t.Errorf("worker %d: delete %v %v", n, batch.Ops[0].Status, batch.Ops[1].Status)
					}
				}
			})
		}
		wg.Wait()
		if sums := b.totals(); sums != (queue.Sums{Total: workers * rounds}) {
			t.Errorf("%+v at the end", sums)
		}
		if err := b.sh.state.Sound(); err != nil {
			t.Error(err)
		}
		b.sh.Close()
	}
}

// sleeper is a worker who waits for each job, woken through the gate.
type sleeper struct {
	client queue.Client
	word   atomic.Uint64
	last   uint64
	id     uint64
	wake   chan struct{}
}

func (s *sleeper) Arm() uint64              { s.last++; s.word.Store(s.last); return s.last }
func (s *sleeper) Claim(ticket uint64) bool { return s.word.CompareAndSwap(ticket, 0) }
func (s *sleeper) Waits(ticket uint64) bool { return s.word.Load() == ticket }
func (s *sleeper) Deliver(d queue.Delivery) { s.id = d.ID }
func (s *sleeper) Wake(bool, []byte)        { s.wake <- struct{}{} }

// Producers and waiting workers, while the timer, too, brings jobs back: each
// job is deleted by exactly one.
func TestWaitConcurrently(t *testing.T) {
	const workers, producers, each = 4, 3, 1500
	b := newBench(t, false)
	var ids, deleted atomic.Uint64
	var wg sync.WaitGroup
	for range workers {
		s := &sleeper{wake: make(chan struct{}, 1)}
		s.client.Waiter = s
		done := make(doneChan, 1)
		run := func(ops ...queue.Op) *queue.Batch {
			batch := &queue.Batch{Client: &s.client, Ops: ops, Done: done}
			if !b.sh.Submit(batch) {
				<-done
			}
			return batch
		}
		run(queue.Op{Kind: queue.Watch, Data: []byte("default")})
		wg.Go(func() {
			for deleted.Load() < producers*each {
				op := run(queue.Op{Kind: queue.Reserve}).Ops[0]
				if op.Status == queue.Waiting {
					<-s.wake
					op.ID = s.id
				}
				if op.ID == 0 || run(queue.Op{Kind: queue.Delete, ID: op.ID}).Ops[0].Status != queue.OK {
					t.Errorf("job %d was not ours", op.ID)
					return
				}
				if deleted.Add(1) == producers*each {
					for range workers { // let the others go home
						run(queue.Op{Kind: queue.Use, Data: []byte("default")}, queue.Op{Kind: queue.Put,
							ID: ids.Add(1), TTR: 60})
					}
				}
			}
		})
	}
	for range producers {
		g := b.newClient()
		wg.Go(func() {
			for i := range each {
				g.run(g.batch(queue.Op{Kind: queue.Put, ID: ids.Add(1), Pri: uint32(i), TTR: 60}))
				if i%50 == 0 {
					runtime.Gosched()
				}
			}
		})
	}
	wg.Wait()
	if err := b.sh.state.Sound(); err != nil {
		t.Error(err)
	}
	b.sh.Close()
}

// Contention on every side of giveBack: submitters who find the shard busy
// while its owner leaves. A lost batch would hang here.
func TestNoBatchIsLost(t *testing.T) {
	b := newBench(t, false)
	var wg sync.WaitGroup
	for range 4 {
		done := make(doneChan, 1)
		wg.Go(func() {
			batch := &queue.Batch{Done: done, Ops: make([]queue.Op, 0, 1)}
			for range 20000 {
				batch.Reset()
				batch.Done, batch.Ops = done, append(batch.Ops, queue.Op{Kind: queue.Totals})
				if !b.sh.Submit(batch) {
					<-done
				}
				if batch.Next != 1 {
					t.Error("answered before it was applied")
				}
			}
		})
	}
	wg.Wait()
	b.sh.Close()
}

// The one interleaving that matters (doc.go): a batch is pushed when the owner
// has looked into the mailbox for the last time, but has not yet given the
// shard back. Here the owner stands between the two, setting the timer.
func TestPushWhileGivingBack(t *testing.T) {
	inBubble(t, false, func(t *testing.T, b *bench) {
		a := b.newClient()
		late := &queue.Batch{Ops: []queue.Op{{Kind: queue.Totals}}, Done: make(doneChan, 1)}
		var asked atomic.Int64
		b.asked = func() {
			if asked.Add(1) != 2 { // the first is at the beginning of the turn
				return
			}
			returned := make(chan bool)
			go func() { returned <- b.sh.Submit(late) }()
			if <-returned {
				t.Error("the shard has been taken twice")
			}
		}
		a.put(1, 1, 60)
		if asked.Load() < 2 {
			t.Fatal("the owner has not set the timer")
		}
		synctest.Wait()
		if late.Next != 1 || len(late.Done.(doneChan)) != 1 {
			t.Error("a batch is left in the mailbox of an idle shard")
		}
	})
}

// Answers and wakes wait for the log, and go on being in order.
func TestAnswersWaitForTheLog(t *testing.T) {
	inBubble(t, true, func(t *testing.T, b *bench) {
		a, w := b.newClient(), b.newClient()
		w.do(queue.Op{Kind: queue.Reserve})
		b.log.Slow = true
		first := a.batch(queue.Op{Kind: queue.Put, ID: 1, TTR: 60})
		second := a.batch(queue.Op{Kind: queue.Put, ID: 2, TTR: 60})
		if b.sh.Submit(first) || b.sh.Submit(second) {
			t.Fatal("answered before the log has it")
		}
		synctest.Wait()
		given, times := w.got()
		if len(a.answers) != 0 || len(times) != 0 {
			t.Fatal("answered before the log has it")
		}
		if len(given) != 1 || len(b.log.Commits) != 2 {
			t.Fatalf("given %v, %d commits: the shard does not go on meanwhile", given, len(b.log.Commits))
		}
		b.log.Release(nil)
		_, times = w.got()
		if <-a.answers != first || <-a.answers != second || len(times) != 1 || first.Ops[0].Status != queue.OK {
			t.Error("answers are wrong or out of order")
		}
	})
}

// A failed commit is never hidden (L1): everything of the turn says so.
func TestFailedCommit(t *testing.T) {
	inBubble(t, true, func(t *testing.T, b *bench) {
		a := b.newClient()
		b.log.Slow = true
		batch := a.batch(queue.Op{Kind: queue.Put, ID: 1, TTR: 60}, queue.Op{Kind: queue.Peek, ID: 1},
			queue.Op{Kind: queue.Reserve}, queue.Op{Kind: queue.Reserve},
			queue.Op{Kind: queue.Peek, ID: 1})
		b.sh.Submit(batch)
		b.log.Release(errors.New("disk on fire"))
		<-a.answers
		for i, want := range []queue.Status{queue.Failed, queue.Failed, queue.Failed, queue.Failed, queue.OK} {
			if batch.Ops[i].Status != want { // the last was never applied
				t.Errorf("operation %d: %v, want %v", i, batch.Ops[i].Status, want)
			}
		}
	})
}

// A batch that is not answered at once outlives the caller's buffers, also
// when it stopped at a wait and has only the log to wait for.
func TestWhatIsLeftIsRetained(t *testing.T) {
	inBubble(t, true, func(t *testing.T, b *bench) {
		a := b.newClient()
		b.log.Slow = true
		name := []byte("default")
		batch := a.batch(queue.Op{Kind: queue.Reserve}, queue.Op{Kind: queue.StatsTube, Data: name})
		if b.sh.Submit(batch) {
			t.Fatal("answered before the log has it")
		}
		copy(name, "borrowed")
		b.log.Slow = false
		b.log.Release(nil)
		<-a.answers
		a.run(batch)
		if batch.Next != 2 || batch.Ops[1].Status != queue.OK {
			t.Errorf("stopped at %d, %v", batch.Next, batch.Ops[1].Status)
		}
	})
}

// A batch in pieces: the second submission goes on behind the wait.
func TestSubmitAgainAfterWait(t *testing.T) {
	inBubble(t, false, func(t *testing.T, b *bench) {
		a, w := b.newClient(), b.newClient()
		batch := w.batch(queue.Op{Kind: queue.Reserve}, queue.Op{Kind: queue.Delete, ID: 1})
		if !b.sh.Submit(batch) || batch.Next != 1 {
			t.Fatalf("stopped at %d", batch.Next)
		}
		a.put(1, 0, 60)
		if len(w.given) != 1 || !b.sh.Submit(batch) || batch.Next != 2 || batch.Ops[1].Status != queue.OK {
			t.Fatalf("given %v, then %+v", w.given, batch.Ops[1])
		}
	})
}

// Close ends the goroutine and the timer; synctest would complain of either.
func TestClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, false)
		b.newClient().put(1, 1, 60)
		b.sh.Close()
		<-time.After(2 * time.Second)
		synctest.Wait()
		if sums(b.sh.state).Delayed != 1 { // nobody else can touch it any more
			t.Error("a closed shard goes on")
		}
	})
}

// A long operation goes on when the log has what it did so far: it does not
// run ahead of the disk, with everybody else's answers behind it.
func TestLongOperationWaitsForTheLog(t *testing.T) {
	inBubble(t, true, func(t *testing.T, b *bench) {
		a := b.newClient()
		const n = 2*queue.Slice + 10
		for id := uint64(1); id <= n; id++ {
			a.put(id, 1000, 60)
		}
		b.log.Slow = true
		batch := a.batch(queue.Op{Kind: queue.Kick, Limit: n})
		if b.sh.Submit(batch) {
			t.Fatal("answered without the log")
		}
		for _, want := range []int{queue.Slice, 2 * queue.Slice, n} {
			synctest.Wait()
			if got := sums(b.sh.state).Ready; got != want || len(b.log.Commits) != 1 {
				t.Fatalf("%d are kicked and %d turns wait for the log, want %d and 1", got, len(b.log.Commits), want)
			}
			b.log.Release(nil)
		}
		if <-a.answers != batch || batch.Ops[0].Status != queue.OK || batch.Ops[0].Count != n {
			t.Errorf("at the end: %+v", batch.Ops[0])
		}
		b.log.Slow = false
	})
}
