package pebblestore

import "github.com/cockroachdb/pebble/v2"

// A full compaction is due when the tables hold more than twice the live jobs
// and this much, over all shards. Pebble finds most garbage by itself; this
// holds the bound whatever the pattern was.
const spareTables = 64 * mib

// compactWhatIsDue measures the databases, and compacts those that hold too much garbage,
// one after the other. To fold the log frees the space of deleted large bodies: their
// tables can be removed as soon as the store knows of the deletes.
func (s *store) compactWhatIsDue() {
	for _, l := range s.logs {
		if s.ctx.Err() != nil {
			return
		}
		l.compactIfDue(max(spareTables/int64(len(s.logs)), 4*mib))
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
