package shard

import (
	"context"

	"beanfield/shard/queue"
	"beanfield/storage/tally"
)

// Figures are what a shard counts beside its queue, for the metrics.
type Figures struct {
	queue.Figures
	Turns   uint64
	Busy    uint64 // nanoseconds, about
	Mailbox int    // batches that wait
	// Sizes says how many operations a turn has. It is a sample of the turns.
	Sizes tally.Reading
}

// tallies are what the goroutine that has taken the shard counts.
type tallies struct {
	turns uint64
	busy  uint64
	left  int // turns until the next one that is measured
	sizes tally.Spread
}

// measured is the share of turns whose time is taken: one in so many. Reading the clock
// twice in each turn would cost up to one percent of the throughput. It is a prime, so
// that it does not follow any rhythm of the clients' commands.
const measured = 13

// count counts a turn that began at a time and applied so many operations.
func (t *tallies) count(sh *Shard, began int64, ops int) {
	t.turns++
	if t.left--; t.left > 0 {
		return
	}
	t.left = measured
	t.busy += uint64(max(0, sh.now()-began)) * measured
	t.sizes.Add(tally.Number(ops), 1)
}

// look is a question that whoever has the shard answers between two turns. It does not
// wait for the log, unlike a batch: what it shows may be undone by a power cut, and it is
// answered even if the disk hangs. Monitoring needs that, and nothing else does.
type look struct {
	next *look
	fn   func(*queue.State, *Figures)
	done chan struct{}
}

// Look has fn called by the goroutine that has taken the shard, which may be the caller's,
// and reports whether that has happened when ctx ended. If not, fn may still be called
// later. It must not keep the state, and should take less than a tenth of a millisecond.
func (sh *Shard) Look(ctx context.Context, fn func(*queue.State, *Figures)) bool {
	l := &look{fn: fn, done: make(chan struct{})}
	sh.looks.Push(l, &l.next)
	if sh.take() { // as in Submit: whoever had the shard may not have seen the look
		sh.giveBack()
	}
	select {
	case <-l.done:
		return true
	case <-ctx.Done():
		return false
	}
}

// serveLooks answers the looks that have come.
func (sh *Shard) serveLooks() {
	f := Figures{Figures: sh.state.Figures(), Turns: sh.tally.turns, Busy: sh.tally.busy}
	for b := sh.mail.Newest(); b != nil; b = b.Link {
		f.Mailbox++
	}
	sh.tally.sizes.ReadTo(&f.Sizes)
	for l := sh.looks.Take(); l != nil; l = l.next {
		l.fn(sh.state, &f)
		close(l.done)
	}
	sh.findDue() // one of them may have brought policies
}
