package shard

import (
	"slices"
	"strconv"
	"testing"
	"testing/synctest"

	"beanfield/shard/queue"
	"beanfield/storage"
)

// What comes while somebody runs the shard is applied in order of arrival,
// all of it, though nobody comes any more; it is more than one may be burdened
// with, so the shard's goroutine does the rest.
func TestHandingOver(t *testing.T) {
	inBubble(t, false, func(b *bench) {
		a := b.client()
		release := b.hold()
		var batches []*queue.Batch
		for i := range 5 * turnBatches {
			batch := a.begins(ops("put %d; stats-tube default", i+1)...)
			batches = append(batches, batch)
		}
		if synctest.Wait(); len(a.answers) != 0 {
			b.Fatal("two run the shard at once")
		}
		release()
		for i, batch := range batches {
			a.ends(batch, "ok; ready:"+strconv.Itoa(i+1))
		}
	})
}

// A long operation goes on by itself, and lets others in between.
func TestLongKick(t *testing.T) {
	inBubble(t, false, func(b *bench) {
		const n = 10 * queue.Slice
		a := b.client()
		for id := range n {
			a.do("put %d delay=3600", id+1)
		}
		a.ends(a.begins(ops("kick limit=%d; peek-delayed", n)...), strconv.Itoa(n)+"; no")
	})
}

// A long operation goes on when the log has what it did so far: it does not
// run ahead of the disk, with everybody else's answers behind it.
func TestLongOperationWaitsForTheLog(t *testing.T) {
	inBubble(t, true, func(b *bench) {
		const n = 2*queue.Slice + 10
		a := b.client()
		for id := range n {
			a.do("put %d delay=1000", id+1)
		}
		b.log.Slow = true
		batch := a.begins(ops("kick limit=%d", n)...)
		for _, want := range []int{queue.Slice, 2 * queue.Slice, n} {
			synctest.Wait()
			if got := b.sh.state.Figures().Sums.Ready; got != want || len(b.log.Commits) != 1 {
				b.Fatalf("%d are kicked and %d turns wait for the log, want %d and 1", got, len(b.log.Commits), want)
			}
			b.log.Release(nil)
		}
		a.ends(batch, strconv.Itoa(n))
	})
}

// long is a batch that takes many turns: it kicks n jobs of a tube, which it has buried there.
func (b *bench) long(tube string, first, n int) (*client, *queue.Batch) {
	c := b.stranger()
	c.do("use %s; watch %s", tube, tube)
	for id := first; id < first+n; id++ {
		c.do("put %d; reserve-job %d; bury %d", id, id, id)
	}
	return c, c.batch(ops("kick limit=%d", n)...)
}

// doneFunc is told of a batch on the goroutine that completes it.
type doneFunc func(*queue.Batch)

func (f doneFunc) Complete(b *queue.Batch) { f(b) }

// Long operations of several clients share the turns: none of them always goes first, takes the
// whole share of the turn, and leaves the others the least.
func TestLongOperationsTakeTurns(t *testing.T) {
	inBubble(t, false, func(b *bench) {
		const each = 8 * queue.Slice
		var all []*queue.Batch
		most, ended := 0, 0
		for i, tube := range []string{"a", "b", "c"} {
			_, batch := b.long(tube, 1+i*each, each)
			batch.Done = doneFunc(func(*queue.Batch) {
				ended++
				for _, other := range all {
					if ended == 1 {
						most = max(most, each-int(other.Ops[0].Count))
					}
				}
			})
			all = append(all, batch)
		}
		b.take()
		for _, batch := range all {
			b.sh.Submit(batch)
		}
		b.sh.drain(turnBatches)
		b.sh.giveBack()
		synctest.Wait()
		if most > 2*queue.Slice || ended != len(all) {
			b.Errorf("when the first is done, another has %d of %d jobs left; %d have ended", most, each, ended)
		}
	})
}

// Whoever has taken the shard stops when an operation has used up the share of a turn: the
// next turn is for the shard's goroutine, which lets others have the processor between two.
func TestDrainStopsAfterAFullTurn(t *testing.T) {
	inBubble(t, false, func(b *bench) {
		c, batch := b.long("tube", 1, 4*queue.Slice)
		if b.take(); b.sh.Submit(batch) {
			b.Fatal("a batch is run while the shard is taken")
		}
		b.sh.drain(turnBatches)
		if n := batch.Ops[0].Count; n == 0 || n > queue.Slice || b.sh.mail.Empty() {
			b.Errorf("%d jobs are kicked at a time, want %d at most", n, queue.Slice)
		}
		b.sh.giveBack()
		c.ends(batch, strconv.Itoa(4*queue.Slice))
	})
}

// relay sends a batch again whenever it is answered, so that the mailbox is never
// empty.
type relay struct {
	sh       *Shard
	answered int
	most     int // then it stops
}

func (r *relay) Complete(b *queue.Batch) {
	if r.answered++; r.answered < r.most {
		b.Reset()
		r.send(b)
	}
}

func (r *relay) send(b *queue.Batch) {
	b.Done, b.Ops = r, ops("totals")
	r.sh.Submit(b)
}

// A goroutine that drains the mailbox stops after a few dozen batches, even if more
// come all the time: a connection must not work for others for ever, and the shard's
// goroutine must let connections in. What is left is not forgotten.
func TestDrainIsBounded(t *testing.T) {
	inBubble(t, false, func(b *bench) {
		r := &relay{sh: b.sh, most: 1000}
		b.take()
		r.send(&queue.Batch{})
		b.sh.drain(turnBatches)
		if r.answered != turnBatches || b.sh.mail.Empty() {
			b.Errorf("%d batches are run at a time, want %d", r.answered, turnBatches)
		}
		b.sh.giveBack()
		if synctest.Wait(); r.answered != r.most {
			b.Errorf("%d of %d batches are answered", r.answered, r.most)
		}
	})
}

// A submitter, too, runs at most that many of the batches that others have left.
func TestSubmitterDrainsLittle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, queue.Config{})
		r := &relay{sh: b.sh, most: 1000}
		b.close() // the goroutine stops: what it is handed stays
		b.take()
		r.send(&queue.Batch{})
		b.sh.busy.Store(false) // somebody has gone, and the mailbox was not seen
		mine := b.stranger().batch(ops("totals")...)
		b.sh.Submit(mine)
		if r.answered < 1 || r.answered > 100 || mine.Next != 1 {
			t.Errorf("the submitter has run %d batches of others", r.answered)
		}
		if len(b.sh.handed) != 1 {
			t.Error("the rest is not handed to the shard's goroutine")
		}
	})
}

// pushLog counts the turns that it commits at once, and those that are to be pushed.
type pushLog struct {
	storage.Log
	turns [2]int
}

func (l *pushLog) Commit(storage.Ack) bool {
	l.turns[0]++
	return true
}

func (l *pushLog) CommitLater(storage.Ack) bool {
	l.turns[1]++
	return true
}

func (l *pushLog) Push(bool) {}

// C3 of package beanstalk: a submitter who pushes the log does so for all turns that it runs, its own and those of
// others. The shard's goroutine and other submitters push nothing: the log must hear of theirs.
func TestTurnsOfThoseWhoPush(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &pushLog{}
		b := newBench(t, queue.Config{Log: log, Durable: true})
		batch := func(later bool) *queue.Batch {
			return &queue.Batch{Ops: ops("totals"), Later: later, Done: unheard{}}
		}
		leave := func(other *queue.Batch) { b.sh.mail.Push(other, linkOf(other)) }
		for name, c := range map[string]struct {
			run  func()
			want [2]int
		}{
			"in place":               {func() { b.sh.Submit(batch(false)) }, [2]int{1, 0}},
			"in place, pushes":       {func() { b.sh.Submit(batch(true)) }, [2]int{0, 1}},
			"with another's":         {func() { leave(batch(true)); b.sh.Submit(batch(false)) }, [2]int{1, 0}},
			"with another's, pushes": {func() { leave(batch(false)); b.sh.Submit(batch(true)) }, [2]int{0, 1}},
			"by the goroutine":       {func() { b.sh.Submit(batch(true)); b.sh.proceed(batch(true)) }, [2]int{1, 1}},
		} {
			log.turns = [2]int{}
			c.run()
			if synctest.Wait(); log.turns != c.want {
				t.Errorf("%s: %d turns committed at once and later, want %d", name, log.turns, c.want)
			}
		}
	})
}

// The directory forgets a deleted job when the delete is committed, before
// anybody is answered, and not at all when the log has failed (L1).
func TestDirectoryForgetsAfterTheCommit(t *testing.T) {
	for _, fault := range []error{nil, errBroken} {
		b := newAwayBench(t, 0)
		c := b.client()
		c.do("put 1 x; put 2 y")
		b.log.Slow = true
		var gone, want []uint64
		b.dir.jobGone = func(id uint64) { gone = append(gone, id) }
		batch := c.begins(ops("delete 1; delete 2")...)
		answered := false
		batch.Done = doneFunc(func(*queue.Batch) {
			if fault == nil {
				want = []uint64{1, 2}
			}
			if answered = true; !slices.Equal(gone, want) {
				t.Errorf("after a commit with error %v these are forgotten: %v", fault, gone)
			}
		})
		if len(gone) != 0 {
			t.Errorf("before the commit these are forgotten: %v", gone)
		}
		if b.log.Release(fault); !answered {
			t.Error("not answered")
		}
	}
}
