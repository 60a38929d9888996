package pebblestore

import (
	"sync/atomic"
	"time"

	"beanfield/storage"
	"beanfield/storage/pebblestore/committer"
	"beanfield/storage/tally"

	"github.com/cockroachdb/pebble/v2"
)

// tallies are what a log counts for the metrics.
type tallies struct {
	commits, groups tally.Spread // written by the goroutine that applies
	stalls          atomic.Uint64
	stalled         atomic.Int64 // nanoseconds, of the stalls that have ended
	since           atomic.Int64 // when the stall that is on began, in nanoseconds since 1970; 0 for none
	waits           atomic.Int64 // the same of the group that waits for room in the log
	debt            atomic.Uint64
}

// applied counts a group that has been applied.
func (t *tallies) applied(g *committer.Group, began time.Time) {
	t.commits.Add(tally.Time(int64(time.Since(began))), 1)
	t.groups.Add(tally.Number(g.Turns), 1)
}

// stallBegins counts that a group waits for room in the log since a time; stallEnds, that
// it does no longer.
func (t *tallies) stallBegins(since time.Time) {
	if t.waits.CompareAndSwap(0, since.UnixNano()) {
		t.stalls.Add(1)
	}
}

func (t *tallies) stallEnds(since time.Time) {
	if t.waits.Swap(0) != 0 {
		t.stalled.Add(int64(time.Since(since)))
	}
}

// listen makes an event listener count the times when writes wait for compactions.
func (t *tallies) listen(l *pebble.EventListener) {
	begin := l.WriteStallBegin
	l.WriteStallBegin = func(info pebble.WriteStallBeginInfo) {
		t.stalls.Add(1)
		t.since.Store(time.Now().UnixNano())
		begin(info)
	}
	l.WriteStallEnd = func() {
		if since := t.since.Swap(0); since != 0 {
			t.stalled.Add(max(0, time.Now().UnixNano()-since))
		}
	}
}

// Figures implements storage.Measured.
func (l *shardLog) Figures() storage.LogFigures {
	t := &l.tallies
	used, of := l.turns.Used()
	f := storage.LogFigures{
		Stalls: t.stalls.Load(), Stalled: time.Duration(t.stalled.Load()), Debt: t.debt.Load(),
		Garbage: uint64(max(0, l.garbage.Load())),
		Filled:  float64(used) / float64(max(1, of)),
	}
	for _, since := range [...]int64{t.since.Load(), t.waits.Load()} {
		if since == 0 {
			continue
		}
		f.Stalled += time.Duration(max(0, time.Now().UnixNano()-since))
	}
	t.commits.ReadTo(&f.Commits)
	t.groups.ReadTo(&f.Groups)
	return f
}
