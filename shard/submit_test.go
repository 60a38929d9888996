package shard

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"beanfield/shard/queue"
)

// Many goroutines submit to one shard: everything is applied exactly once, and each sees its
// own operations in order. S2: nobody else touches the queue meanwhile.
func TestSubmitConcurrently(t *testing.T) {
	for _, durable := range []bool{false, true} {
		const workers, rounds = 8, 1500
		b := newBench(t, queue.Config{Durable: durable})
		var ids atomic.Uint64
		var taken sync.Map
		var wg sync.WaitGroup
		for range workers {
			c := b.client()
			wg.Go(func() {
				for i := range rounds {
					batch := c.do("put %d body pri=%d; poll", ids.Add(1), i%3)
					id := batch.Ops[1].ID
					b.expect("put, poll", said(batch), fmt.Sprintf("ok; %d body", id))
					if _, twice := taken.LoadOrStore(id, true); twice {
						t.Errorf("job %d is handed out twice", id)
					}
					b.expect("delete", said(c.do("delete %d; delete %d", id, id)), "ok; no")
				}
			})
		}
		wg.Wait()
		if sums := b.client().do("totals").Sums; sums != (queue.Sums{Total: workers * rounds}) {
			t.Errorf("%+v at the end", sums)
		}
	}
}

// Producers and waiting workers, while the timer, too, brings jobs back: each
// job is deleted by exactly one.
func TestWaitConcurrently(t *testing.T) {
	const workers, producers, each = 4, 3, 1500
	b := newBench(t, queue.Config{})
	var ids, deleted atomic.Uint64
	var wg sync.WaitGroup
	for range workers {
		c := b.client()
		wg.Go(func() {
			for deleted.Load() < producers*each {
				op := c.do("reserve").Ops[0]
				if op.Status == queue.Waiting {
					op.ID = (<-c.wakes).id
				}
				if got := said(c.do("delete %d", op.ID)); got != "ok" {
					t.Errorf("job %d was not ours: %s", op.ID, got)
					return
				}
				if deleted.Add(1) == producers*each {
					for range workers { // let the others go home
						c.do("put %d", ids.Add(1))
					}
				}
			}
		})
	}
	for range producers {
		c := b.client()
		wg.Go(func() {
			for i := range each {
				if c.do("put %d pri=%d", ids.Add(1), i); i%50 == 0 {
					runtime.Gosched()
				}
			}
		})
	}
	wg.Wait()
}

// Contention on every side of giveBack: submitters who find the shard busy
// while its owner leaves. A lost batch would hang here.
func TestNoBatchIsLost(t *testing.T) {
	b := newBench(t, queue.Config{})
	var wg sync.WaitGroup
	for range 4 {
		c := b.stranger()
		wg.Go(func() {
			for range 20000 {
				if c.again(queue.Op{Kind: queue.Totals}); c.last.Next != 1 {
					t.Error("answered before it was applied")
				}
			}
		})
	}
	wg.Wait()
}

// The one interleaving that matters (doc.go): a batch is pushed when the owner
// has looked into the mailbox for the last time, but has not yet given the
// shard back. Here the owner stands between the two, setting the timer.
func TestPushWhileGivingBack(t *testing.T) {
	inBubble(t, false, func(b *bench) {
		a, other := b.client(), b.stranger()
		var asked atomic.Int64
		b.asked = func() {
			if asked.Add(1) != 2 { // the first is at the beginning of the turn
				return
			}
			submitted := make(chan bool)
			go func() { submitted <- b.sh.Submit(other.batch(ops("totals")...)) }()
			if <-submitted {
				b.Error("the shard has been taken twice")
			}
		}
		if a.do("put 1 delay=1"); asked.Load() < 2 {
			b.Fatal("the owner has not set the timer")
		}
		if synctest.Wait(); len(other.answers) != 1 || (<-other.answers).Next != 1 {
			b.Error("a batch is left in the mailbox of an idle shard")
		}
	})
}

// Answers and wakes wait for the log, and go on being in order.
func TestAnswersWaitForTheLog(t *testing.T) {
	inBubble(t, true, func(b *bench) {
		a, w := b.client(), b.client()
		w.do("reserve")
		b.log.Slow = true
		first, second := a.begins(ops("put 1")...), a.begins(ops("put 2")...)
		synctest.Wait()
		if len(a.answers) != 0 || len(w.wakes) != 0 {
			b.Fatal("answered before the log has it")
		}
		if w.given != 1 || len(b.log.Commits) != 2 {
			b.Fatalf("given %d, %d commits: the shard does not go on meanwhile", w.given, len(b.log.Commits))
		}
		b.log.Release(nil)
		a.ends(first, "ok")
		if a.ends(second, "ok"); len(w.wakes) != 1 {
			b.Error("the waiter is not woken")
		}
	})
}

// A failed commit is never hidden (L1): everything of the turn says so. The last operation was never applied.
func TestFailedCommit(t *testing.T) {
	inBubble(t, true, func(b *bench) {
		a := b.client()
		b.log.Slow = true
		batch := a.begins(ops("put 1; peek 1; reserve; reserve; peek 1")...)
		b.log.Release(errBroken)
		a.ends(batch, "failed; failed; failed; failed")
	})
}

// A batch that is not answered at once outlives the caller's buffers, because the shard is busy, or because it
// stopped at a wait and has only the log to wait for.
func TestWhatIsLeftIsRetained(t *testing.T) {
	inBubble(t, true, func(b *bench) {
		a := b.client()
		borrow := func(text string) (batch *queue.Batch) {
			list := ops("%s", text)
			name := list[1].Data
			batch = a.begins(list...)
			copy(name, "borrowed")
			return batch
		}
		release := b.hold()
		batch := borrow("put 1; stats-tube default")
		release()
		a.ends(batch, "ok; ready:1")
		a.do("delete 1")
		b.log.Slow = true
		batch = borrow("reserve; stats-tube default")
		b.log.Slow = false
		b.log.Release(nil)
		a.ends(batch, "waiting")
		b.expect("the rest", said(a.run(batch)), "waiting; ")
	})
}

// A batch in pieces: the second submission goes on behind the wait.
func TestSubmitAgainAfterWait(t *testing.T) {
	inBubble(t, false, func(b *bench) {
		w := b.client()
		batch := w.do("reserve; delete 1")
		b.expect("at first", said(batch), "waiting")
		b.client().do("put 1")
		if w.given != 1 || !b.sh.Submit(batch) {
			b.Fatalf("given %d", w.given)
		}
		b.expect("then", said(batch), "waiting; ok")
	})
}
