package shard

import (
	"testing"
	"testing/synctest"

	"beanfield/shard/queue"
)

// long is a batch that takes many turns: it kicks n jobs of a tube, which it has buried there.
func (b *bench) long(g *testClient, tube string, first uint64, n int) *queue.Batch {
	g.do(queue.Op{Kind: queue.Use, Data: []byte(tube)}, queue.Op{Kind: queue.Watch, Data: []byte(tube)})
	for id := first; id < first+uint64(n); id++ {
		g.do(queue.Op{Kind: queue.Put, ID: id, TTR: 60}, queue.Op{Kind: queue.ReserveJob, ID: id},
			queue.Op{Kind: queue.Bury, ID: id})
	}
	return g.batch(queue.Op{Kind: queue.Kick, Limit: uint32(n)})
}

// Long operations of several clients share the turns: none of them always goes first, takes the
// whole share of the turn, and leaves the others the least.
func TestLongOperationsTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const each, clients = 8 * queue.Slice, 3
		b := newBench(t, false)
		var all []*queue.Batch
		for i := range clients {
			all = append(all, b.long(b.newClient(), "tube"+string(rune('a'+i)), uint64(1+i*each), each))
		}
		var left []int // jobs that the others had left when the first was done
		ended := 0
		for _, batch := range all {
			batch.Done = doneFunc(func(*queue.Batch) {
				if ended++; ended > 1 {
					return
				}
				for _, other := range all {
					left = append(left, each-int(other.Ops[0].Count))
				}
			})
		}
		if !b.sh.take() {
			t.Fatal("an idle shard cannot be taken")
		}
		for _, batch := range all {
			b.sh.Submit(batch)
		}
		b.sh.drain(turnBatches)
		b.sh.giveBack()
		synctest.Wait()
		for _, n := range left {
			if n > 2*queue.Slice {
				t.Errorf("when the first is done, the others have %v of %d jobs left", left, each)
				break
			}
		}
		if ended != clients {
			t.Errorf("%d of %d have ended", ended, clients)
		}
		b.sh.Close()
	})
}

// Whoever has taken the shard stops when an operation has used up the share of a turn: the
// next turn is for the shard's goroutine, which lets others have the processor between two.
func TestDrainStopsAfterAFullTurn(t *testing.T) {
	inBubble(t, false, func(t *testing.T, b *bench) {
		g := b.newClient()
		batch := b.long(g, "tube", 1, 4*queue.Slice)
		if !b.sh.take() || b.sh.Submit(batch) {
			t.Fatal("an idle shard cannot be taken")
		}
		b.sh.drain(turnBatches)
		if n := batch.Ops[0].Count; n == 0 || n > queue.Slice || b.sh.mail.Empty() {
			t.Errorf("%d jobs are kicked at a time, want %d at most", n, queue.Slice)
		}
		b.sh.giveBack()
		if <-g.answers != batch || batch.Ops[0].Count != 4*queue.Slice {
			t.Errorf("%d jobs are kicked", batch.Ops[0].Count)
		}
	})
}
