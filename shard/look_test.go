package shard

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"beanfield/shard/queue"
)

// look asks for the figures, and waits for them.
func (b *bench) look() (f Figures) {
	if !b.sh.Look(b.Context(), func(_ *queue.State, now *Figures) { f = *now }) {
		b.Error("a look at a shard is not answered")
	}
	return f
}

// A look is answered while answers wait for a log that hangs, and shows what is in memory.
func TestLookDoesNotWaitForTheLog(t *testing.T) {
	inBubble(t, true, func(b *bench) {
		a := b.client()
		b.log.Slow = true
		put := a.begins(ops("put 1 abc")...)
		commits := len(b.log.Commits)
		if f := b.look(); f.Jobs != 1 || f.Sums.Ready != 1 || f.Tubes != 1 || f.Inside != 3 || f.Outside != 0 ||
			f.Turns != 2 || f.Sizes.Total() != 1 {
			b.Errorf("the figures are %+v", f.Figures)
		}
		if len(b.log.Commits) != commits {
			b.Error("a look is a turn of the log")
		}
		b.log.Release(nil)
		a.ends(put, "ok")
	})
}

// Whoever has the shard answers the look when it gives the shard back, and sees the
// batches that wait. A look that nobody answers in time is given up.
func TestLookAtABusyShard(t *testing.T) {
	inBubble(t, false, func(b *bench) {
		a := b.client()
		b.take()
		for range 3 {
			a.begins(ops("totals")...)
		}
		ctx, cancel := context.WithCancel(b.Context())
		cancel()
		late := false
		if b.sh.Look(ctx, func(*queue.State, *Figures) { late = true }) || late {
			b.Error("a look is answered while the shard is taken")
		}
		mailbox := make(chan int, 1)
		go func() { mailbox <- b.look().Mailbox }()
		synctest.Wait()
		b.sh.giveBack()
		if n := <-mailbox; n != 3 {
			b.Errorf("%d batches wait, want 3", n)
		}
		if synctest.Wait(); !late || len(a.answers) != 3 {
			b.Error("a look that was given up is forgotten, or a batch")
		}
	})
}

// The same interleaving as with batches: a look comes when the owner has looked for looks
// for the last time, but has not yet given the shard back.
func TestLookWhileGivingBack(t *testing.T) {
	inBubble(t, false, func(b *bench) {
		a := b.client()
		answered := make(chan Figures, 1)
		var asked atomic.Int64
		b.asked = func() {
			if asked.Add(1) == 2 { // the owner sets the timer
				go func() { answered <- b.look() }()
				for b.sh.looks.Empty() {
				}
			}
		}
		b.sh.tally.left = measured // so that this turn is not measured
		a.do("put 1 delay=1")
		if synctest.Wait(); len(answered) != 1 {
			b.Error("a look is left at an idle shard")
		}
	})
}

// Looks and batches from many goroutines: none is lost, and each sees a whole turn.
func TestLookConcurrently(t *testing.T) {
	b := newBench(t, queue.Config{})
	var wg sync.WaitGroup
	for i := range 3 {
		c := b.client()
		wg.Go(func() {
			for n := range 2000 {
				id := 1 + i*2000 + n
				c.do("put %d; delete %d", id, id)
			}
		})
	}
	for range 2 {
		wg.Go(func() {
			last := uint64(0)
			for range 2000 {
				f := b.look()
				if f.Jobs != 0 || f.Turns < last {
					t.Errorf("a look sees %+v", f.Figures)
				}
				last = f.Turns
			}
		})
	}
	wg.Wait()
}
