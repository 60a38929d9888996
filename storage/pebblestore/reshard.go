package pebblestore

import (
	"errors"
	"fmt"
	"math/bits"
	"time"

	"beanfield/storage"
	"beanfield/storage/locallog"
	"beanfield/storage/pebblestore/database"
	"beanfield/storage/pebblestore/directory"
	"beanfield/storage/pebblestore/format"
	"beanfield/storage/turns"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// moveBatch is how many bytes are moved at once.
const moveBatch = mib

// settle moves the jobs to n shards, if they are on another number of shards. Without shardOf nothing is moved.
func (s *store) settle(m format.Manifest, n int) (format.Manifest, error) {
	switch {
	case m.Shards == n:
		return m, nil
	case s.shardOf == nil:
		return m, errors.New("the directory is to stay as it is")
	}
	s.o.Logger.Info("the number of shards changes: jobs are moved", "from", m.Shards, "to", n)
	return s.reshard(m, n)
}

// reshard writes the jobs of generation m.Generation, which is only read, to a new one
// with n shards, each job to the shard that its tube belongs to. When the new generation
// is complete and on the disk, the manifest switches to it. If the process dies before
// that, the old generation counts and is as it was; if after, the new one counts. The next
// start removes the other.
func (s *store) reshard(m format.Manifest, n int) (format.Manifest, error) {
	step := s.o.Steps.Begin("looking whether there is room to move the jobs", "")
	err := s.roomToMove(m)
	step.End()
	if err != nil {
		return m, err
	}
	next := format.Manifest{Generation: m.Generation + 1, Shards: n}
	if err := s.dir.MakeGeneration(next.Generation, n); err != nil {
		return m, err
	}
	step = s.o.Steps.Begin(fmt.Sprintf("moving jobs from %d to %d shards", m.Shards, n), "jobs")
	err = s.move(m, next, step)
	step.End()
	if err != nil {
		return m, err
	}
	if err := s.dir.WriteManifest(next); err != nil {
		return m, err
	}
	step = s.o.Steps.Begin("removing the old shards", "")
	defer step.End()
	return next, s.dir.Sweep(next.Generation)
}

// move copies everything from one generation to another.
func (s *store) move(from, to format.Manifest, step *storage.Step) error {
	target, err := s.openMove(to, func(o *pebble.Options) { o.ErrorIfExists = true })
	if err != nil {
		return err
	}
	mv := &mover{to: target, shardOf: s.shardOf, batches: make([]*pebble.Batch, to.Shards), log: s, step: step,
		last: time.Now()}
	for i, t := range target.shards {
		mv.batches[i] = t.db.NewBatch()
	}
	for i := range from.Shards {
		if err := s.moveShard(from, i, mv); err != nil {
			return errors.Join(err, target.close())
		}
	}
	if err := mv.finish(); err != nil {
		return errors.Join(err, target.close())
	}
	return target.close()
}

// roomToMove refuses a change that the disk has no room for, before anything is
// touched: nothing of the old generation is removed until the new one is complete.
func (s *store) roomToMove(m format.Manifest) error {
	var bytes int64
	for i := range m.Shards {
		err := s.readShard(m, i, func(_ pebble.Reader, db *pebble.DB) error {
			bytes += s.bytesToMove(m, db)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return s.space.need(bytes)
}

// bytesToMove is about what a copy of a shard takes: its tables, and what may be in its log.
func (s *store) bytesToMove(m format.Manifest, db *pebble.DB) int64 {
	slot, slots := s.o.slots(m.Shards)
	return int64(db.Metrics().Table.Local.LiveSize) + slot*int64(slots)
}

// moveShard copies one shard.
func (s *store) moveShard(m format.Manifest, i int, mv *mover) error {
	return s.readShard(m, i, func(r pebble.Reader, db *pebble.DB) error {
		if err := s.space.need(s.bytesToMove(m, db)); err != nil {
			return err
		}
		return mv.shard(r)
	})
}

// readShard opens one shard for reading only. The reader has all turns of its log; the
// database has only those that have been folded.
func (s *store) readShard(m format.Manifest, i int, fn func(r pebble.Reader, db *pebble.DB) error) error {
	path := s.dir.Shard(m.Generation, i)
	return s.readDatabase(path, fmt.Sprintf("from-%03d", i), func(db *pebble.DB) error {
		return readNewest(s.o.FS, path, db, fn)
	})
}

// readDatabase opens a database for reading only.
func (s *store) readDatabase(path, name string, fn func(db *pebble.DB) error) error {
	f := database.NewFault(nil)
	sh := s.o.sharing(s.o.FS, 1)
	db, err := sh.OpenToRead(f, path, name)
	if err != nil {
		return fmt.Errorf("open %s: %w", path, database.Explain(err))
	}
	err = f.Guard(func() error { return fn(db) })
	if err != nil && !errors.Is(err, storage.ErrNoSpace) {
		err = fmt.Errorf("%s: %w", path, database.Explain(err))
	}
	if f.Err() != nil {
		return err // the database may never answer again
	}
	closing := f.Guard(db.Close)
	if closing == nil {
		sh.Close()
	}
	return errors.Join(err, closing)
}

// readNewest gives fn a database as its log makes it.
func readNewest(fs vfs.FS, path string, db *pebble.DB, fn func(r pebble.Reader, db *pebble.DB) error) error {
	place, err := format.Place(db)
	if err != nil {
		return err
	}
	highest, err := format.MaxID(db)
	if err != nil {
		return err
	}
	n, err := format.NewNewest(db, highest, func(fn func(b []byte, at turns.At) error) error {
		_, err := locallog.Read(fs, directory.Turns(fs, path), place, func(b []byte, at turns.At, _ turns.Place) error {
			return fn(b, at)
		})
		return err
	})
	if err != nil {
		return err
	}
	return errors.Join(fn(n, db), n.Close())
}

// databases are those of one generation that is being written.
type databases struct {
	fault   *database.Fault
	sharing *database.Sharing
	shards  []*shardStore
}

func (s *store) openMove(m format.Manifest, change func(*pebble.Options)) (*databases, error) {
	d := &databases{
		fault:   database.NewFault(nil),
		sharing: s.o.sharing(s.space.wrap(), m.Shards),
		shards:  make([]*shardStore, m.Shards),
	}
	err := inParallel(m.Shards, func(i int) (err error) {
		path := s.dir.Shard(m.Generation, i)
		d.shards[i], err = openStore(d.sharing, d.fault, path, fmt.Sprintf("to-%03d", i), change)
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
	err := inParallel(len(d.shards), func(i int) error {
		if d.shards[i] == nil || d.fault.Err() != nil {
			return d.fault.Err()
		}
		return d.shards[i].close()
	})
	if err == nil {
		d.sharing.Close()
	}
	return err
}

// mover sorts jobs to their new shards. Values are copied as they are: their
// checksums cover the key and the content, not the place.
type mover struct {
	to      *databases
	shardOf func(string) int
	batches []*pebble.Batch
	highest uint64
	jobs    int
	log     *store
	step    *storage.Step
	last    time.Time
}

func (m *mover) shard(r pebble.Reader) (err error) {
	highest, err := format.MaxID(r)
	if err != nil {
		return err
	}
	m.highest = max(m.highest, highest)
	if err := format.EachQueue(r, m.queue); err != nil {
		return err
	}
	s, err := format.NewScan(r)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	found, err := s.First()
	for ; found && err == nil; found, err = s.Next() {
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
	if err := m.batches[to].Set(key, value, nil); err != nil {
		return err
	}
	return m.moved(to)
}

func (m *mover) job(s *format.Scan) error {
	to, err := m.target(s.Job.Tube)
	if err != nil {
		return err
	}
	if s.Content.Apart {
		body, err := s.Body()
		if err == nil {
			err = m.to.fault.Guard(func() error {
				_, err := m.to.shards[to].stager.stage(s.Job.ID, [][]byte{body})
				return err
			})
		}
		if database.FailedToRead(err) {
			// What is left of the body would be gone after the move.
			return fmt.Errorf("job %d in tube %q has a body that cannot be read: start with the old number of shards, "+
				"and delete the job: %w", storage.IDOf(s.Job.ID), s.Job.Tube, err)
		}
		if err != nil {
			return err
		}
	}
	b := m.batches[to]
	if err := b.Set(s.Records.Key(), s.Records.Value(), nil); err != nil {
		return err
	}
	if s.Job.Updated {
		if err := b.Set(s.Updates.Key(), s.Updates.Value(), nil); err != nil {
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
	err := m.to.fault.Guard(func() error { return m.to.shards[i].db.Apply(m.batches[i], pebble.NoSync) })
	if err == nil {
		m.batches[i].Reset()
	}
	return err
}

// finish forces everything to the disk, and begins the logs. Every shard gets the highest id
// of all.
func (m *mover) finish() error {
	return inParallel(len(m.batches), func(i int) error {
		if err := m.flush(i); err != nil {
			return err
		}
		t := m.to.shards[i]
		if err := t.begin(newPlace(), m.highest); err != nil {
			return err
		}
		return locallog.Create(m.log.logOptions(t.stager.dir, len(m.batches)), t.place)
	})
}
