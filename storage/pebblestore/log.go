package pebblestore

import (
	"fmt"
	"sync"
	"sync/atomic"

	"beanfield/storage"

	"github.com/cockroachdb/pebble/v2"
)

// maxBatch is how many bytes a batch may hold.
const maxBatch = 64 * mib

// mostQueued bounds maxQueued. With 4 MiB, p99 of 16 cycles pipelined was 36 ms, with
// this 8 ms; with a quarter of it, throughput fell by a tenth.
const mostQueued = 256 << 10

// group is what is handed to the committer at once: batches for Pebble and the
// acks of the turns in them. There is one batch, unless that grew too large.
type group struct {
	full  []fullBatch // take no more
	batch *pebble.Batch
	acks  []storage.Ack
	// sealed is what the batch held when its last complete turn ended. Other
	// goroutines read it under the log's mutex while the owner appends, which
	// never changes what is there already.
	sealed []byte
	maxID  uint64 // highest id put, 0 for none
}

type fullBatch struct {
	batch *pebble.Batch
	repr  []byte
}

func (g *group) written() bool { return len(g.sealed) != 0 || len(g.full) != 0 }

func (g *group) empty() bool { return !g.written() && len(g.acks) == 0 }

// reset leaves the slices for reuse.
func (g *group) reset() {
	g.full = nil
	g.batch.Reset()
	g.sealed = nil
	g.maxID = 0
}

// shardLog is the log of one shard: see doc.go for how its parts work together.
type shardLog struct {
	store *store
	fault *fault
	db    *pebble.DB
	reach *reach
	name  string

	stager  stager
	staging sync.Mutex // one body at a time
	stages  sync.WaitGroup
	staged  map[uint64]uint32 // checksums of bodies whose jobs are not put yet; under mu

	// The owner's: whoever has the shard.
	inTurn  bool // this turn has written; the committer reads it, under mu
	scratch []byte
	// maxQueued is how many bytes may wait for the committer before a turn that
	// needs no sync waits all the same: memory stays bounded, a batch small beside
	// a memtable, and the wait short.
	maxQueued int
	highest   uint64 // highest id put or known, for MaxID
	opened    uint64 // highest id before this run
	written   atomic.Uint64
	live      atomic.Int64 // bytes of live jobs, about
	garbage   atomic.Int64 // bytes that died since the last full compaction, about
	dropped   atomic.Int64 // of those, large bodies since tidy has looked

	mu      sync.Mutex
	work    sync.Cond // the committer waits: for flight, for the gate, for the end
	quiet   sync.Cond // others wait for it: a commit or a delivery ended
	open    *group    // turns go in here
	flight  *group    // what the committer is to apply, or nil
	spare   *group    // empty, or nil while the committer has the other
	hungry  bool      // the committer waits for the end of a turn
	waiting int       // acks not called yet
	closing bool
	failed  error
	// For a checkpoint: no turn is acknowledged before it is applied; the
	// committer applies nothing; how many groups it has taken and applied.
	strict, gated  bool
	taken, applied uint64
	applying       bool
	// delivering is set while the committer calls acks, without the mutex.
	delivering bool
	// dead holds acks of turns after the failure, for the undertaker.
	dead []storage.Ack

	durable atomic.Uint64 // syncs that succeeded
	dirty   atomic.Bool   // applied without sync since the last timed one
	bytes   atomic.Uint64 // on disk, as last measured
	done    chan struct{} // closed when the committer has ended
}

func newShardLog(s *store, name string) *shardLog {
	l := &shardLog{store: s, name: name, done: make(chan struct{}), staged: make(map[uint64]uint32)}
	l.work.L, l.quiet.L = &l.mu, &l.mu
	l.fault = newFault(l.onFault)
	return l
}

// start takes the database into use.
func (l *shardLog) start(db *pebble.DB, fresh bool) error {
	l.db = db
	l.maxQueued = min(mostQueued, int(l.store.sharing.mem/4))
	err := l.fault.guard(func() (err error) {
		if err := l.stager.sweep(); err != nil {
			return err
		}
		if fresh {
			if err := writeMaxID(db, 0, pebble.Sync); err != nil {
				return err
			}
			// A new database begins in Pebble's oldest format and raises it in a
			// moment. Its first log file stays in the old one, which cannot tell
			// damage from a torn tail: begin another.
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
	for _, g := range []**group{&l.open, &l.spare} {
		*g = &group{batch: l.newBatch()}
	}
	go l.commitLoop()
	return nil
}

// begin opens a turn with its first record.
func (l *shardLog) begin() {
	if l.inTurn {
		return
	}
	l.mu.Lock()
	l.inTurn = true
	l.mu.Unlock()
}

// Put implements Log.
func (l *shardLog) Put(j *storage.Job, body ...[]byte) {
	l.begin()
	if j.Size > storage.LargeBody {
		l.scratch = appendApart(l.scratch[:0], j, l.takeStaged(j.ID))
		body = nil
	} else {
		l.scratch = appendRecord(l.scratch[:0], j)
	}
	n := len(l.scratch)
	for _, p := range body {
		n += len(p)
	}
	g := l.open
	g.maxID = max(g.maxID, j.ID)
	l.live.Add(diskSize(j))
	l.count()
	if g.batch.Len()+n > maxBatch {
		l.cut()
	}
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
	l.begin()
	l.scratch = appendUpdate(l.scratch[:0], j)
	op := l.open.batch.SetDeferred(keyLen, len(l.scratch))
	putKey(op.Key, keyUpdate, j.ID)
	copy(op.Value, l.scratch)
	seal(op.Key, op.Value)
	l.garbage.Add(updateSize)
	l.count()
}

// updateSize is about what an update, or the trace of a delete, takes.
const updateSize = 48

// Delete implements Log. A record is written exactly once, so a single delete
// does: where the two meet, in a memtable's flush already, both vanish.
func (l *shardLog) Delete(j *storage.Job) {
	l.begin()
	op := l.open.batch.SingleDeleteDeferred(keyLen)
	putKey(op.Key, keyRecord, j.ID)
	if j.Updated {
		op := l.open.batch.DeleteDeferred(keyLen)
		putKey(op.Key, keyUpdate, j.ID)
	}
	if j.Size > storage.LargeBody {
		from, to := pieceBounds(j.ID)
		op := l.open.batch.DeleteRangeDeferred(len(from), len(to))
		copy(op.Key, from)
		copy(op.Value, to)
		l.dropped.Add(int64(j.Size))
	}
	size := diskSize(j)
	l.live.Add(-size)
	l.garbage.Add(size + updateSize)
	l.count()
}

// count is for the owner alone, so a plain addition would do but for Stats.
func (l *shardLog) count() { l.written.Store(l.written.Load() + 1) }

// cut starts another batch: one may not get larger than Pebble takes.
func (l *shardLog) cut() {
	g := l.open
	if g.batch.Empty() {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	g.full = append(g.full, fullBatch{batch: g.batch, repr: g.batch.Repr()})
	g.sealed = nil
	g.batch = l.newBatch()
}

func (l *shardLog) newBatch() *pebble.Batch {
	return l.db.NewBatch(pebble.WithMaxRetainedSizeBytes(mib))
}

// Commit implements Log.
func (l *shardLog) Commit(ack storage.Ack) bool {
	wrote := l.inTurn
	l.mu.Lock()
	defer l.mu.Unlock()
	l.inTurn = false
	if l.failed != nil {
		return l.refuse(ack)
	}
	if wrote {
		l.open.sealed = l.open.batch.Repr()
	}
	if l.atOnce(wrote) {
		if wrote {
			l.offer()
		}
		return true
	}
	l.waiting++
	if !wrote && l.open.empty() && l.flight != nil {
		// Everything that this turn can have seen is with the committer.
		l.flight.acks = append(l.flight.acks, ack)
		return false
	}
	l.open.acks = append(l.open.acks, ack)
	l.offer()
	return false
}

// offer lets the committer know that the open group has something for it.
func (l *shardLog) offer() {
	if l.hungry {
		l.hungry = false
		l.handOver()
	}
	l.work.Signal()
}

// atOnce says whether a turn's answers may leave now.
func (l *shardLog) atOnce(wrote bool) bool {
	if l.store.o.Sync != storage.Always && !l.strict {
		// No ack may be overtaken.
		return l.waiting == 0 && len(l.open.sealed) < l.maxQueued
	}
	return !wrote && l.waiting == 0 && l.flight == nil && l.open.empty()
}

// handOver puts the open group on its way. The highest id goes into the same
// batch as the jobs, once for all turns of the group.
func (l *shardLog) handOver() {
	g := l.open
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
	l.flight, l.open, l.spare = g, l.spare, nil
	l.taken++
}

// Stats implements Log.
func (l *shardLog) Stats() storage.LogStats {
	return storage.LogStats{
		Written: l.written.Load(),
		Syncs:   l.durable.Load(),
		Live:    uint64(max(0, l.live.Load())),
		Bytes:   l.bytes.Load(),
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
