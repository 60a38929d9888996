package pebblestore

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"beanfield/storage"

	"github.com/cockroachdb/pebble/v2"
)

// maxBatch is how many bytes a batch may hold.
const maxBatch = 64 * mib

// mostQueued bounds maxQueued. A larger bound makes replies late (with 4 MiB, p99 of 16
// cycles pipelined was 36 ms instead of 8), a smaller one costs throughput.
const mostQueued = 256 << 10

// shardLog is the log of one shard: see doc.go for how its parts work together.
type shardLog struct {
	store *store
	shard int
	fault *fault
	db    *pebble.DB
	reach *reach
	name  string

	stager  stager
	staging sync.Mutex // one body at a time
	stages  sync.WaitGroup
	sums    checksums // of staged bodies whose jobs are not put yet

	committer *committer

	// The owner is the goroutine that has taken the shard. Others read the counters.
	scratch []byte
	written atomic.Uint64
	live    atomic.Int64 // bytes of live jobs, about
	garbage atomic.Int64 // bytes that died since the last full compaction, about
	dropped atomic.Int64 // of those, large bodies since tidy last ran
	relief  relief

	unreadable unreadable

	opened  uint64 // highest id before this run
	highest uint64 // highest id in a complete group; under the committer's mutex

	durable     atomic.Uint64 // syncs that succeeded
	dirty       atomic.Bool   // applied without sync since the last timed one
	bytes       atomic.Uint64 // on disk, as last measured
	tallies     tallies
	compactions *scheduler
}

func newShardLog(s *store, shard int, name string) *shardLog {
	l := &shardLog{store: s, shard: shard, name: name}
	l.committer = newCommitter(l, s.o.Sync == storage.Always)
	l.fault = newFault(l.onFault)
	return l
}

// start makes the log ready for its owner, on a database that has just been opened.
func (l *shardLog) start(db *pebble.DB, fresh bool) error {
	l.db = db
	err := l.fault.guard(func() (err error) {
		step := l.store.o.Steps.Begin("removing bodies that were never taken over by "+l.name, "")
		err = l.stager.sweep()
		step.End()
		if err != nil {
			return err
		}
		if fresh {
			if err := writeMaxID(db, 0, pebble.Sync); err != nil {
				return err
			}
			// A new database begins in Pebble's oldest format, which is raised only
			// when its first log file exists. In that format damage looks like a torn
			// tail, so begin another log file.
			return db.Flush()
		}
		l.opened, err = readMaxID(db)
		return err
	})
	if err != nil {
		return err
	}
	l.highest = l.opened
	if _, err := l.measure(); err != nil { // the keys of stats are right from the start
		return err
	}
	l.committer.start(min(mostQueued, int(l.store.sharing.mem/4)), &group{batch: l.newBatch()}, &group{batch: l.newBatch()})
	return nil
}

// Put implements Log.
func (l *shardLog) Put(j *storage.Job, body ...[]byte) {
	l.committer.begin()
	if j.Size > storage.LargeBody {
		l.scratch = appendApart(l.scratch[:0], j, l.sums.take(j.ID))
		body = nil
	} else {
		l.scratch = appendRecord(l.scratch[:0], j)
	}
	n := len(l.scratch)
	for _, p := range body {
		n += len(p)
	}
	g := l.committer.open
	g.maxID = max(g.maxID, j.ID)
	g.newer = g.newer || newer(j)
	l.live.Add(diskSize(j))
	l.count()
	l.makeRoom(n)
	op := g.batch.SetDeferred(keyLen, n)
	putKey(op.Key, keyRecord, j.ID)
	at := copy(op.Value, l.scratch)
	for _, p := range body {
		at += copy(op.Value[at:], p)
	}
	seal(op.Key, op.Value)
}

// Update implements Log.
func (l *shardLog) Update(j *storage.Job) {
	l.committer.begin()
	l.scratch = appendUpdate(l.scratch[:0], j)
	g := l.committer.open
	g.newer = g.newer || newer(j)
	l.makeRoom(len(l.scratch))
	op := g.batch.SetDeferred(keyLen, len(l.scratch))
	putKey(op.Key, keyUpdate, j.ID)
	copy(op.Value, l.scratch)
	seal(op.Key, op.Value)
	l.garbage.Add(max(updateSize, int64(len(l.scratch))))
	l.count()
}

// updateSize is about what an update, or the trace of a delete, takes.
const updateSize = 48

// Delete implements Log. A record is written exactly once, so a single delete is
// enough: where the two meet, at the latest in a compaction, both vanish.
func (l *shardLog) Delete(j *storage.Job) {
	l.committer.begin()
	op := l.committer.open.batch.SingleDeleteDeferred(keyLen)
	putKey(op.Key, keyRecord, j.ID)
	if j.Updated {
		op := l.committer.open.batch.DeleteDeferred(keyLen)
		putKey(op.Key, keyUpdate, j.ID)
	}
	if j.Size > storage.LargeBody {
		from, to := pieceBounds(j.ID)
		op := l.committer.open.batch.DeleteRangeDeferred(len(from), len(to))
		copy(op.Key, from)
		copy(op.Value, to)
		l.dropped.Add(int64(j.Size))
	}
	size := diskSize(j)
	l.live.Add(-size)
	l.garbage.Add(size + updateSize)
	l.count()
}

// count needs no locked addition: only the owner writes, and Stats reads.
func (l *shardLog) count() { l.written.Store(l.written.Load() + 1) }

// makeRoom has the open group go on with another batch if n bytes do not fit into this one.
func (l *shardLog) makeRoom(n int) {
	if b := l.committer.open.batch; b.Empty() || b.Len()+n <= maxBatch {
		return
	}
	l.committer.mu.Lock()
	defer l.committer.mu.Unlock()
	l.committer.open.cut(l.newBatch())
}

func (l *shardLog) newBatch() *pebble.Batch {
	return l.db.NewBatch(pebble.WithMaxRetainedSizeBytes(mib))
}

// Commit implements Log.
func (l *shardLog) Commit(ack storage.Ack) bool { return l.committer.commit(ack, false) }

// CommitLater implements storage.Pusher. Where turns do not wait for the disk, there is
// nothing to gain.
func (l *shardLog) CommitLater(ack storage.Ack) bool {
	return l.committer.commit(ack, l.committer.strict)
}

// Push implements storage.Pusher.
func (l *shardLog) Push(here bool) { l.committer.push(here) }

// complete implements environment. The highest id goes into the same batch as the
// jobs, once for all turns of the group, and so does the stamp.
func (l *shardLog) complete(g *group) {
	if g.maxID > l.highest {
		l.highest = g.maxID
		op := g.batch.SetDeferred(keyLen, maxIDLen)
		putKey(op.Key, keyMaxID, 0)
		encodeMaxID(op.Key, op.Value, l.highest)
	}
	if g.written() {
		l.reach.stamp().put(g.batch)
		g.sealed = g.batch.Repr()
	}
}

// apply implements environment. It also catches Pebble's panics: there is one when a
// log file cannot be closed or created.
func (l *shardLog) apply(g *group) (err error) {
	if !g.written() {
		return nil // only turns that wait for those before them
	}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("storage: panic: %v", p)
		}
	}()
	if g.newer {
		if err := l.store.raise(); err != nil {
			return err
		}
	}
	began := time.Now()
	for _, b := range g.full {
		if err := l.db.Apply(b.batch, pebble.NoSync); err != nil {
			return err
		}
	}
	option := pebble.NoSync
	if l.store.o.Sync == storage.Always {
		option = pebble.Sync
	}
	if err := l.db.Apply(g.batch, option); err != nil {
		return err
	}
	if option.Sync {
		l.durable.Add(1)
	} else {
		l.dirty.Store(true)
	}
	l.tallies.applied(g, began)
	return nil
}

// broken implements environment.
func (l *shardLog) broken(err error) { l.fault.fail(err) }

// onFault is told the first error after which the database must not be used.
func (l *shardLog) onFault(err error) {
	err = l.errorf("%w", err)
	l.committer.fail(err)
	l.store.report(err)
}

// Stats implements Log.
func (l *shardLog) Stats() storage.LogStats {
	return storage.LogStats{
		Written: l.written.Load(),
		Syncs:   l.durable.Load(),
		Live:    uint64(max(0, l.live.Load())),
		Bytes:   l.bytes.Load(),
		Full:    l.store.space.left.Load() <= 0,
		Err:     l.fault.Err(),
	}
}

// MaxID implements Log.
func (l *shardLog) MaxID() uint64 { return l.opened }

// RoomToUpdate implements Log.
func (l *shardLog) RoomToUpdate() bool {
	return l.fault.Err() == nil && l.store.space.takeUpdate()
}

// Room implements Log.
func (l *shardLog) Room(n int) bool {
	return l.fault.Err() == nil && l.store.space.take(n)
}

func (l *shardLog) errorf(format string, args ...any) error {
	return fmt.Errorf("storage: %s: %w", l.name, fmt.Errorf(format, args...))
}
