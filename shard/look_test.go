package shard

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"beanfield/shard/queue"
)

// A look is answered while answers wait for a log that hangs, and shows what is in memory.
func TestLookDoesNotWaitForTheLog(t *testing.T) {
	inBubble(t, true, func(t *testing.T, b *bench) {
		a := b.newClient()
		b.log.Slow = true
		put := a.batch(queue.Op{Kind: queue.Put, ID: 1, TTR: 60, Size: 3, Data: []byte("abc")})
		if b.sh.Submit(put) {
			t.Fatal("answered before the log has it")
		}
		commits := len(b.log.Commits)
		var f Figures
		if !b.sh.Look(t.Context(), func(_ *queue.State, now *Figures) { f = *now }) {
			t.Fatal("a look at an idle shard is not answered")
		}
		if f.Jobs != 1 || f.Sums.Ready != 1 || f.Tubes != 1 || f.Inside != 3 || f.Outside != 0 || f.Turns != 2 ||
			f.Sizes.Total() != 1 {
			t.Errorf("the figures are %+v", f.Figures)
		}
		if len(b.log.Commits) != commits {
			t.Error("a look is a turn of the log")
		}
		b.log.Release(nil)
		<-a.answers
	})
}

// Whoever has the shard answers the look when it gives the shard back, and sees the
// batches that wait. A look that nobody answers in time is given up.
func TestLookAtABusyShard(t *testing.T) {
	inBubble(t, false, func(t *testing.T, b *bench) {
		a := b.newClient()
		if !b.sh.take() {
			t.Fatal("an idle shard cannot be taken")
		}
		for range 3 {
			b.sh.Submit(&queue.Batch{Client: &a.client, Ops: []queue.Op{{Kind: queue.Totals}}, Done: a})
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		late := false
		if b.sh.Look(ctx, func(*queue.State, *Figures) { late = true }) || late {
			t.Error("a look is answered while the shard is taken")
		}
		mailbox := make(chan int, 1)
		go b.sh.Look(t.Context(), func(_ *queue.State, f *Figures) { mailbox <- f.Mailbox })
		synctest.Wait()
		b.sh.giveBack()
		if n := <-mailbox; n != 3 {
			t.Errorf("%d batches wait, want 3", n)
		}
		for range 3 {
			<-a.answers
		}
		if synctest.Wait(); !late {
			t.Error("a look that was given up is forgotten")
		}
	})
}

// The same interleaving as with batches: a look comes when the owner has looked for looks
// for the last time, but has not yet given the shard back.
func TestLookWhileGivingBack(t *testing.T) {
	inBubble(t, false, func(t *testing.T, b *bench) {
		a := b.newClient()
		answered := make(chan bool, 1)
		var asked atomic.Int64
		b.asked = func() {
			if asked.Add(1) == 2 { // the owner sets the timer
				go func() { answered <- b.sh.Look(t.Context(), func(*queue.State, *Figures) {}) }()
				for b.sh.looks.Empty() {
				}
			}
		}
		b.sh.tally.left = measured // so that this turn is not measured
		a.put(1, 1, 60)
		synctest.Wait()
		if len(answered) != 1 {
			t.Error("a look is left at an idle shard")
		}
	})
}

// Looks and batches from many goroutines: none is lost, and each sees a whole turn.
func TestLookConcurrently(t *testing.T) {
	b := newBench(t, false)
	var wg sync.WaitGroup
	for i := range 3 {
		g := b.newClient()
		wg.Go(func() {
			for n := range 2000 {
				id := uint64(1 + i*2000 + n)
				g.do(queue.Op{Kind: queue.Put, ID: id, TTR: 1}, queue.Op{Kind: queue.Delete, ID: id})
			}
		})
	}
	for range 2 {
		wg.Go(func() {
			last := uint64(0)
			for range 2000 {
				var f Figures
				if !b.sh.Look(t.Context(), func(_ *queue.State, now *Figures) { f = *now }) || f.Jobs != 0 ||
					f.Turns < last {
					t.Errorf("a look sees %+v", f.Figures)
				}
				last = f.Turns
			}
		})
	}
	wg.Wait()
	b.sh.Close()
}
