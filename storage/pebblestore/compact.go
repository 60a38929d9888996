package pebblestore

import (
	"time"

	"github.com/cockroachdb/pebble/v2"
)

// A full compaction is due when the tables hold more than twice the live jobs
// and this much, over all shards. Pebble finds most garbage by itself; this
// holds the bound whatever the pattern was.
const spareTables = 64 * mib

// compactWhatIsDue measures the databases, and compacts those that hold too much garbage,
// one after the other. To fold the log frees the space of deleted large bodies: their
// tables can be removed as soon as the store knows of the deletes.
func (s *store) compactWhatIsDue() {
	s.lookAfter(func(l *shardLog) { l.compactIfDue(max(spareTables/int64(len(s.logs)), 4*mib)) })
}

// lookAfter does something for each log, one after the other, but for those whose place another one takes just now:
// that one is not open yet.
func (s *store) lookAfter(do func(*shardLog)) {
	for i := range s.logs {
		if s.ctx.Err() != nil {
			return
		}
		if s.upkeep[i].TryRLock() {
			do(s.logs[i])
			s.upkeep[i].RUnlock()
		}
	}
}

func (l *shardLog) compactIfDue(spare int64) {
	if l.dropped.Load() >= spare {
		l.dropped.Store(0)
		if err := l.foldAll(); err != nil {
			l.store.o.Logger.Warn("folding the log failed", "shard", l.name, "error", err)
		}
	}
	m, err := l.measure()
	if err != nil {
		return
	}
	if l.garbage.Load() < spare {
		return
	}
	tables := int64(m.Table.Local.LiveSize)
	if tables <= 2*max(0, l.live.Load())+spare {
		return
	}
	_ = l.compact() // tried again when more has died
}

// measure finds out what the database and the log take on the disk.
func (l *shardLog) measure() (*pebble.Metrics, error) {
	var m *pebble.Metrics
	err := l.fault.Guard(func() error {
		m = l.db.Metrics()
		return nil
	})
	if err != nil {
		return nil, err // m may still be written
	}
	l.bytes.Store(m.DiskSpaceUsage() + uint64(l.turns.Size()))
	l.tallies.debt.Store(m.Compact.EstimatedDebt)
	return m, nil
}

// compact rewrites the tables without what is dead.
func (l *shardLog) compact() error {
	if err := l.foldAll(); err != nil { // or the store would not know what is dead
		return err
	}
	died := l.garbage.Swap(0)
	l.store.o.Logger.Debug("full compaction", "shard", l.name)
	err := l.base.Compact(l.store.ctx, l.fault)
	if err != nil && l.store.ctx.Err() == nil {
		l.store.o.Logger.Warn("full compaction failed", "shard", l.name, "error", err.Error())
		l.garbage.Add(died)
	}
	return err
}

// While puts are refused for want of space, the space of dead jobs is freed at once,
// and not when a compaction would get to it: without puts the log fills slowly, and the
// store would not learn for long what has died.
//
// The work is bounded: a log is relieved only if jobs in it have died since the last
// time, at most once a second, and less often while that fails.

// relieveEvery is how often logs are relieved at most.
const relieveEvery = time.Second

// leastDead is how much of the tables must be dead for a compaction.
const leastDead = 256 << 10

// mostRest bounds how many times a log is left out after failures.
const mostRest = 60

// relief is what a log remembers of it. It belongs to the goroutine that relieves.
type relief struct {
	died   int64 // garbage that the last time has dealt with
	failed int   // times in a row
	rest   int   // times to leave out
}

// relieve is called every relieveEvery.
func (s *store) relieve() {
	if !s.space.short() {
		return
	}
	s.lookAfter((*shardLog).relieve)
}

func (l *shardLog) relieve() {
	r := &l.relief
	if l.garbage.Load() == r.died {
		return
	}
	if r.rest > 0 {
		r.rest--
		return
	}
	died, err := l.giveBack()
	if l.store.ctx.Err() != nil {
		return
	}
	if err != nil {
		r.failed++
		r.rest = min(1<<min(r.failed, 6), mostRest)
		l.store.o.Logger.Warn("disk space could not be freed", "shard", l.name, "error", err.Error())
		return
	}
	*r = relief{died: died}
}

// giveBack folds the log, so that the store knows of all that has died, and compacts the
// tables if enough in them is dead, and if there is room for what is not. It returns the
// garbage that it has dealt with: what dies meanwhile is for the next time.
func (l *shardLog) giveBack() (died int64, err error) {
	died = l.garbage.Load()
	if err := l.foldAll(); err != nil {
		return l.relief.died, err
	}
	m, err := l.measure()
	if err != nil {
		return died, err
	}
	live := max(0, l.live.Load())
	dead := int64(m.Table.Local.LiveSize) - live
	free, err := l.store.space.free()
	if dead < max(live/4, leastDead) || died < dead/2 || err == nil && free < live {
		return died, nil
	}
	return 0, l.compact() // which counts garbage anew
}
