package pebblestore

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"beanfield/storage"
	"beanfield/storage/fold"
	"beanfield/storage/locallog"
	"beanfield/storage/pebblestore/committer"
	"beanfield/storage/pebblestore/database"
	"beanfield/storage/pebblestore/directory"
	"beanfield/storage/pebblestore/format"
	"beanfield/storage/turns"

	"github.com/cockroachdb/pebble/v2"
)

// mostQueued bounds maxQueued. A larger bound makes replies late (with 4 MiB, p99 of 16
// cycles pipelined was 36 ms instead of 8), a smaller one costs throughput.
const mostQueued = 256 << 10

// shardLog is what one shard writes: its log of turns, and the store that follows it. See
// doc.go for how its parts work together.
type shardLog struct {
	shardStore
	store *store
	shard int

	turns     *locallog.Log
	writing   sync.Mutex    // guards appending and syncing
	appended  atomic.Uint64 // the number of the last record
	window    *fold.Window
	absorbed  atomic.Uint64 // the number of the last record that the window knows
	committer *committer.Committer

	// The fold: see folding.go.
	folding   sync.Mutex
	sealed    uint64 // a share of the store may have left out what has ended up to this record
	reader    *locallog.Reader
	share     *fold.Share // that could not be stored yet
	freed     chan struct{}
	foldDue   chan struct{}
	foldStop  chan struct{}
	foldEnded chan struct{}
	lastSlot  uint32 // in which the last group began

	staging sync.Mutex // one body at a time
	stages  sync.WaitGroup
	sums    checksums     // of staged bodies whose jobs are not put yet
	newest  *pebble.Batch // for the replay
	cleaned bool          // by the first replay

	// The owner is the goroutine that has taken the shard. Others read the counters.
	scratch []byte
	key     [format.KeyLen]byte
	written atomic.Uint64
	live    atomic.Int64 // bytes of live jobs, about
	garbage atomic.Int64 // bytes that died since the last full compaction, about
	dropped atomic.Int64 // of those, large bodies since that was last looked at
	relief  relief

	unreadable unreadable
	keys       keys

	opened uint64 // highest id before this run

	durable atomic.Uint64 // syncs that succeeded
	dirty   atomic.Bool   // appended without sync since the last timed one
	bytes   atomic.Uint64 // on disk, as last measured
	tallies tallies

	changing sync.Mutex // guards committer while another one takes its place
	copied   copied
}

func newShardLog(s *store, shard int, name string) *shardLog {
	l := &shardLog{
		store: s, shard: shard,
		freed: make(chan struct{}, 1), foldDue: make(chan struct{}, 1),
		foldStop: make(chan struct{}), foldEnded: make(chan struct{}),
	}
	l.name = name
	l.committer = committer.New(l, s.o.Sync == storage.Always)
	l.fault = database.NewFault(l.onFault)
	return l
}

// start makes the log ready for its owner, on a store that has just been opened.
func (l *shardLog) start(fresh bool) error {
	if err := l.read(fresh); err != nil {
		return err
	}
	l.commits()
	go l.foldLoop()
	return nil
}

// commits begins with what its owner commits.
func (l *shardLog) commits() {
	l.committer.Start(min(mostQueued, int(l.store.sharing.Mem/4)))
}

// read opens the log of turns, or makes it, and finds out what is in it.
func (l *shardLog) read(fresh bool) error {
	step := l.store.o.Steps.Begin("removing tables that were never taken over by "+l.name, "")
	err := l.stager.sweep()
	step.End()
	if err != nil {
		return err
	}
	if fresh {
		if err := l.begin(l.store.origin(l.shard), 0, nil); err != nil {
			return err
		}
		if err := locallog.Create(l.logOptions(), l.place); err != nil {
			return err
		}
	} else if l.opened, err = l.goOn(); err != nil {
		return err
	}
	log, err := locallog.Open(l.logOptions(), l.place)
	if err != nil {
		return err
	}
	l.turns = log
	l.appended.Store(l.turns.Place().Number)
	l.window = fold.NewWindow(l.opened)
	whole, err := l.turnsUpTo(l.appended.Load(), l.window.Absorb)
	if err != nil {
		return err
	}
	l.absorbed.Store(l.appended.Load())
	if l.store.cluster != nil { // the parts at its end may go on; those of a server by itself are void
		l.absorbed.Store(whole)
	}
	l.sealed = l.appended.Load()
	l.opened = l.window.Highest()
	l.reader = l.turns.Reader()
	_, err = l.measure() // the keys of stats are right from the start
	return err
}

func (l *shardLog) logOptions() locallog.Options {
	return l.store.logOptions(l.stager.dir, l.store.now.Shards)
}

// logOptions are for the log of one shard of so many.
func (s *store) logOptions(shard string, shards int) locallog.Options {
	length, n := s.o.slots(shards)
	o := locallog.Options{FS: s.space.wrap(), Dir: directory.Turns(s.o.FS, shard), Slot: length, Slots: n,
		Epoch: rand.Uint64()}
	if s.cluster != nil {
		o.Slot, o.Slots = s.o.copySlots(shards)
		o.Elsewhere = true
	}
	return o
}

// Put implements Log.
func (l *shardLog) Put(j *storage.Job, body ...[]byte) {
	if j.Size > storage.LargeBody {
		l.scratch = format.AppendApart(l.scratch[:0], j, l.sums.take(j.Key()))
		body = nil
	} else {
		l.scratch = format.AppendRecord(l.scratch[:0], j)
	}
	l.keys.has(j)
	l.job(turns.Put, format.KeyRecord, j.Key(), body)
	l.live.Add(format.DiskSize(j))
}

// job adds a Put or an Update: the value is in scratch, and goes on with the body.
func (l *shardLog) job(k turns.Kind, kind byte, id uint64, body [][]byte) {
	n := len(l.scratch)
	for _, p := range body {
		n += len(p)
	}
	g := l.committer.Begin()
	g.Buf = turns.AppendJob(g.Buf, k, id, n)
	start := len(g.Buf)
	g.Buf = append(g.Buf, l.scratch...)
	for _, p := range body {
		g.Buf = append(g.Buf, p...)
	}
	format.PutKey(l.key[:], kind, id)
	format.Seal(l.key[:], g.Buf[start:])
	l.count()
}

// Update implements Log.
func (l *shardLog) Update(j *storage.Job) {
	l.scratch = format.AppendUpdate(l.scratch[:0], j)
	l.job(turns.Update, format.KeyUpdate, j.Key(), nil)
	l.garbage.Add(max(updateSize, int64(len(l.scratch))))
}

// updateSize is about what an update, or the trace of a delete, takes.
const updateSize = 48

// Delete implements Log.
func (l *shardLog) Delete(j *storage.Job) {
	isLarge := j.Size > storage.LargeBody
	g := l.committer.Begin()
	g.Buf = turns.AppendDelete(g.Buf, j.Key(), j.Updated, isLarge)
	l.keys.lost(j.Key())
	if isLarge {
		l.dropped.Add(int64(j.Size))
	}
	size := format.DiskSize(j)
	l.live.Add(-size)
	l.garbage.Add(size + updateSize)
	l.count()
}

// PutQueue implements storage.Log.
func (l *shardLog) PutQueue(q *storage.Queue) {
	l.scratch = format.AppendQueue(l.scratch[:0], q)
	format.Seal(format.QueueKey(q.Tube), l.scratch)
	g := l.committer.Begin()
	g.Buf = turns.AppendSetQueue(g.Buf, q.Tube, l.scratch)
	l.garbage.Add(int64(1 + len(q.Tube) + len(l.scratch)))
	l.count()
}

// DeleteQueue implements storage.Log.
func (l *shardLog) DeleteQueue(tube string) {
	g := l.committer.Begin()
	g.Buf = turns.AppendDropQueue(g.Buf, tube)
	l.garbage.Add(updateSize)
	l.count()
}

// count needs no locked addition: only the owner writes, and Stats reads.
func (l *shardLog) count() { l.written.Store(l.written.Load() + 1) }

// Commit implements Log.
func (l *shardLog) Commit(ack storage.Ack) bool { return l.committer.Commit(ack, false) }

// CommitLater implements storage.Pusher. Where turns do not wait for the disk, there is
// nothing to gain.
func (l *shardLog) CommitLater(ack storage.Ack) bool {
	return l.committer.Commit(ack, l.committer.Strict)
}

// Push implements storage.Pusher.
func (l *shardLog) Push(here bool) { l.committer.Push(here) }

// Apply implements committer.Log: the group becomes a record of the log, and the window learns
// of it.
func (l *shardLog) Apply(g *committer.Group) error {
	if !g.Written() {
		return nil // only turns that wait for those before them
	}
	began := time.Now()
	at, err := l.append(g)
	if err != nil {
		return err
	}
	if l.store.o.Sync == storage.Always {
		if err := l.sync(); err != nil {
			return err
		}
	} else {
		l.dirty.Store(true)
	}
	if err := l.window.Absorb(g.Sealed, at); err != nil {
		return err
	}
	l.knows(l.appended.Load(), at)
	l.tallies.applied(g, began)
	return nil
}

// knows notes that the window has absorbed turns up to a record. Those of the next slot may be folded.
func (l *shardLog) knows(number uint64, at turns.At) {
	l.absorbed.Store(number)
	if seq := at.Seq(); seq != l.lastSlot {
		l.lastSlot = seq
		l.wakeFold()
	}
}

// Broken implements committer.Log.
func (l *shardLog) Broken(err error) { l.fault.Fail(err) }

// onFault is told the first error after which the log must not be used.
func (l *shardLog) onFault(err error) {
	err = l.errorf("%w", err)
	l.changing.Lock()
	c := l.committer
	l.changing.Unlock()
	c.Fail(err)
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
