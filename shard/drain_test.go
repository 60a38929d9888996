package shard

import (
	"testing"
	"testing/synctest"

	"beanfield/shard/queue"
)

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
	b.Done, b.Ops = r, append(b.Ops, queue.Op{Kind: queue.Totals})
	r.sh.Submit(b)
}

// A goroutine that drains the mailbox stops after a few dozen batches, even if more
// come all the time: a connection must not work for others for ever, and the shard's
// goroutine must let connections in. What is left is not forgotten.
func TestDrainIsBounded(t *testing.T) {
	inBubble(t, false, func(t *testing.T, b *bench) {
		r := &relay{sh: b.sh, most: 1000}
		if !b.sh.take() {
			t.Fatal("an idle shard cannot be taken")
		}
		r.send(&queue.Batch{})
		b.sh.drain(turnBatches)
		if r.answered != turnBatches || b.sh.mail.Empty() {
			t.Errorf("%d batches are run at a time, want %d", r.answered, turnBatches)
		}
		b.sh.giveBack()
		synctest.Wait()
		if r.answered != r.most {
			t.Errorf("%d of %d batches are answered", r.answered, r.most)
		}
	})
}

// A submitter, too, runs at most that many of the batches that others have left.
func TestSubmitterDrainsLittle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, false)
		r := &relay{sh: b.sh, most: 1000}
		b.sh.quit <- struct{}{} // the goroutine stops: what it is handed stays
		if !b.sh.take() {
			t.Fatal("an idle shard cannot be taken")
		}
		r.send(&queue.Batch{})
		b.sh.busy.Store(false) // somebody has gone, and the mailbox was not seen
		mine := &queue.Batch{Ops: []queue.Op{{Kind: queue.Totals}}, Done: make(doneChan, 1)}
		b.sh.Submit(mine)
		if r.answered < 1 || r.answered > 100 || mine.Next != 1 {
			t.Errorf("the submitter has run %d batches of others", r.answered)
		}
		if len(b.sh.handed) != 1 {
			t.Error("the rest is not handed to the shard's goroutine")
		}
	})
}
