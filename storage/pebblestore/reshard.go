package pebblestore

import (
	"errors"
	"fmt"
	"math/bits"
	"strings"
	"time"

	"beanfield/storage"

	"github.com/cockroachdb/pebble/v2"
)

// moveBatch is how many bytes are moved at once.
const moveBatch = mib

// reshard writes the jobs of generation m.Generation, which is only read, to a new one
// with n shards, each job to the shard that its tube belongs to. When the new generation
// is complete and on the disk, the manifest switches to it. If the process dies before
// that, the old generation counts and is as it was; if after, the new one counts. The next
// start removes the other.
func (s *store) reshard(m manifest, n int) (manifest, error) {
	step := s.o.Steps.Begin("looking whether there is room to move the jobs", "")
	err := s.roomToMove(m)
	step.End()
	if err != nil {
		return m, err
	}
	next := manifest{Format: m.Format, Generation: m.Generation + 1, Shards: n, Rule: shardRule}
	if err := s.dir.makeGeneration(next.Generation, n); err != nil {
		return m, err
	}
	step = s.o.Steps.Begin(fmt.Sprintf("moving jobs from %d to %d shards", m.Shards, n), "jobs")
	newer, err := s.move(m, next, step)
	step.End()
	if err != nil {
		return m, err
	}
	if newer {
		next.Format = max(next.Format, queueFormat)
	}
	if err := s.dir.writeManifest(next); err != nil {
		return m, err
	}
	step = s.o.Steps.Begin("removing the old shards", "")
	defer step.End()
	return next, s.dir.sweep(next.Generation)
}

// move copies everything from one generation to another, and says whether an older build
// would misread some of it.
func (s *store) move(from, to manifest, step *storage.Step) (newer bool, err error) {
	target, err := s.openMove(to, func(o *pebble.Options) { o.ErrorIfExists = true })
	if err != nil {
		return false, err
	}
	mv := &mover{to: target, shardOf: s.shardOf, batches: make([]*pebble.Batch, to.Shards), log: s, step: step, last: time.Now()}
	mv.stagers = make([]stager, to.Shards)
	for i, db := range target.dbs {
		mv.batches[i] = db.NewBatch()
		mv.stagers[i] = target.sharing.stager(db, s.dir.shard(to.Generation, i))
	}
	for i := range from.Shards {
		if err := s.moveShard(from, i, mv); err != nil {
			return false, errors.Join(err, target.close())
		}
	}
	if err := mv.finish(); err != nil {
		return false, errors.Join(err, target.close())
	}
	return mv.newer, target.close()
}

// roomToMove refuses a change that the disk has no room for, before anything is
// touched: nothing of the old generation is removed until the new one is complete.
func (s *store) roomToMove(m manifest) error {
	var bytes int64
	for i := range m.Shards {
		err := s.readShard(m, i, func(db *pebble.DB) error {
			bytes += s.bytesToMove(m, i, db)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return s.space.need(bytes)
}

// bytesToMove is about what a copy of a shard takes: its tables, and of its log
// files, which may be longer than what is in them, the part that counts.
func (s *store) bytesToMove(m manifest, i int, db *pebble.DB) int64 {
	var logs int64
	path := s.dir.shard(m.Generation, i)
	names, _ := s.o.FS.List(path) // an estimate: reading them will tell
	for _, name := range names {
		if !strings.HasSuffix(name, ".log") {
			continue
		}
		if info, err := s.o.FS.Stat(s.o.FS.PathJoin(path, name)); err == nil {
			logs += max(0, info.Size()-int64(len(zeros)))
		}
	}
	d := db.Metrics()
	return int64(d.Table.Local.LiveSize) + min(logs, int64(d.MemTable.Size))
}

// moveShard copies one shard.
func (s *store) moveShard(m manifest, i int, mv *mover) error {
	return s.readShard(m, i, func(db *pebble.DB) error {
		if err := s.space.need(s.bytesToMove(m, i, db)); err != nil {
			return err
		}
		return mv.shard(db)
	})
}

// readShard opens one shard for reading only.
func (s *store) readShard(m manifest, i int, fn func(db *pebble.DB) error) error {
	f := newFault(nil)
	sh := newSharing(s.o, s.o.FS, 1)
	path := s.dir.shard(m.Generation, i)
	db, err := sh.readDB(f, path, fmt.Sprintf("from-%03d", i))
	if err != nil {
		return fmt.Errorf("open %s: %w", path, explain(err))
	}
	if err = f.guard(func() error { return fn(db) }); err != nil && !errors.Is(err, storage.ErrNoSpace) {
		err = fmt.Errorf("%s: %w", path, explain(err))
	}
	if f.Err() != nil {
		return err // the database may never answer again
	}
	closing := f.guard(db.Close)
	if closing == nil {
		sh.close()
	}
	return errors.Join(err, closing)
}

// databases are those of one generation that is being written.
type databases struct {
	fault   *fault
	sharing *sharing
	dbs     []*pebble.DB
	reaches []*reach
}

func (s *store) openMove(m manifest, change func(*pebble.Options)) (*databases, error) {
	d := &databases{
		fault:   newFault(nil),
		sharing: newSharing(s.o, s.space.wrap(), m.Shards),
		dbs:     make([]*pebble.DB, m.Shards),
		reaches: make([]*reach, m.Shards),
	}
	err := inParallel(m.Shards, func(i int) (err error) {
		path := s.dir.shard(m.Generation, i)
		d.dbs[i], d.reaches[i], err = d.sharing.openDB(d.fault, path, fmt.Sprintf("to-%03d", i), change)
		if err != nil {
			err = fmt.Errorf("open %s: %w", path, err)
		}
		return err
	})
	if err != nil {
		return nil, errors.Join(err, d.close())
	}
	return d, nil
}

func (d *databases) close() error {
	err := inParallel(len(d.dbs), func(i int) error {
		if d.dbs[i] == nil || d.fault.Err() != nil {
			return d.fault.Err()
		}
		defer d.reaches[i].close()
		return d.fault.guard(d.dbs[i].Close)
	})
	if err == nil {
		d.sharing.close()
	}
	return err
}

// mover sorts jobs to their new shards. Values are copied as they are: their
// checksums cover the key and the content, not the place.
type mover struct {
	to      *databases
	shardOf func(string) int
	batches []*pebble.Batch
	stagers []stager
	highest uint64
	jobs    int
	newer   bool // something was moved that an older build would misread
	log     *store
	step    *storage.Step
	last    time.Time
}

func (m *mover) shard(db *pebble.DB) (err error) {
	highest, err := readMaxID(db)
	if err != nil {
		return err
	}
	m.highest = max(m.highest, highest)
	if err := eachQueue(db, m.queue); err != nil {
		return err
	}
	s, err := newScan(db)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	found, err := s.first()
	for ; found && err == nil; found, err = s.next() {
		if err := m.job(s); err != nil {
			return err
		}
	}
	return err
}

// target is the shard that a tube belongs to.
func (m *mover) target(tube string) (int, error) {
	to := m.shardOf(tube)
	if to < 0 || to >= len(m.batches) {
		return 0, fmt.Errorf("tube %q belongs to shard %d of %d", tube, to, len(m.batches))
	}
	return to, nil
}

func (m *mover) queue(key, value []byte, q *storage.Queue) error {
	to, err := m.target(q.Tube)
	if err != nil {
		return err
	}
	m.newer = true
	if err := m.batches[to].Set(key, value, nil); err != nil {
		return err
	}
	return m.moved(to)
}

func (m *mover) job(s *scan) error {
	to, err := m.target(s.job.Tube)
	if err != nil {
		return err
	}
	m.newer = m.newer || newer(&s.job)
	if s.content.apart {
		body, err := s.body()
		if err == nil {
			err = m.to.fault.guard(func() error {
				_, err := m.stagers[to].stage(s.job.ID, [][]byte{body})
				return err
			})
		}
		if failedToRead(err) {
			// What is left of the body would be gone after the move.
			return fmt.Errorf("job %d in tube %q has a body that cannot be read: start with the old number of shards, "+
				"and delete the job: %w", s.job.ID, s.job.Tube, err)
		}
		if err != nil {
			return err
		}
	}
	b := m.batches[to]
	if err := b.Set(s.records.Key(), s.records.Value(), nil); err != nil {
		return err
	}
	if s.job.Updated {
		if err := b.Set(s.updates.Key(), s.updates.Value(), nil); err != nil {
			return err
		}
	}
	m.jobs++
	m.step.Count()
	if time.Since(m.last) > time.Second {
		m.last = time.Now()
		m.log.o.Logger.Info("moving jobs", "jobs", m.jobs)
	}
	return m.moved(to)
}

// moved flushes the batch of a shard when it is full. The more shards there are, the
// smaller a batch is, because all of them share the memory.
func (m *mover) moved(to int) error {
	if m.batches[to].Len() < moveBatch>>(bits.Len(uint(len(m.batches)))/2) {
		return nil
	}
	return m.flush(to)
}

func (m *mover) flush(i int) error {
	if m.batches[i].Empty() {
		return nil
	}
	err := m.to.fault.guard(func() error { return m.to.dbs[i].Apply(m.batches[i], pebble.NoSync) })
	if err == nil {
		m.batches[i].Reset()
	}
	return err
}

// finish forces everything to the disk. Every shard gets the highest id of all.
func (m *mover) finish() error {
	return inParallel(len(m.batches), func(i int) error {
		if err := writeMaxID(m.batches[i], m.highest, nil); err != nil {
			return err
		}
		if err := m.flush(i); err != nil {
			return err
		}
		return m.to.fault.guard(m.to.dbs[i].Flush)
	})
}
