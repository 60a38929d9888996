package pebblestore

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
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

// move puts everything of one generation into another, as an intake does, and closes that.
func (s *store) move(from, to format.Manifest, step *storage.Step) error {
	f, highest, err := s.fill(from, to, step)
	if err != nil {
		return err
	}
	return errors.Join(f.commitAll(highest), s.closeLogs())
}

// fill puts everything of one generation into another, whose logs it opens. highest is the highest id.
func (s *store) fill(from, to format.Manifest, step *storage.Step) (f filler, highest uint64, err error) {
	s.now = to
	if err := s.openLogs(true); err != nil {
		return f, 0, err
	}
	f = s.filler()
	jobs, last := 0, time.Now()
	for i := range from.Shards {
		err := s.readShard(from, i, func(r pebble.Reader, _ *pebble.DB) error {
			c := &Contents{r}
			id, err := c.MaxID()
			if highest = max(highest, id); err != nil {
				return err
			}
			if err := c.Queues(f.PutQueue); err != nil {
				return err
			}
			return c.Jobs(func(j *storage.Job, body []byte) error {
				if j.Damaged {
					// What is left of the body would be gone after the move.
					return fmt.Errorf("job %d in tube %q has a body that cannot be read: start with the old number of "+
						"shards, and delete the job: %w", j.ID, j.Tube, storage.ErrCorrupt)
				}
				jobs++
				step.Count()
				if time.Since(last) > time.Second {
					last = time.Now()
					s.o.Logger.Info("moving jobs", "jobs", jobs)
				}
				return f.Put(j, body)
			})
		})
		if err != nil {
			return f, 0, err
		}
	}
	return f, highest, nil
}

// roomToMove refuses a change that the disk has no room for, before anything is
// touched: nothing of the old generation is removed until the new one is complete.
func (s *store) roomToMove(m format.Manifest) error {
	var bytes int64
	for i := range m.Shards {
		err := s.readShard(m, i, func(_ pebble.Reader, db *pebble.DB) error {
			slot, slots := s.o.slots(m.Shards)
			bytes += int64(db.Metrics().Table.Local.LiveSize) + slot*int64(slots) // whatever is in its log
			return nil
		})
		if err != nil {
			return err
		}
	}
	return s.space.need(bytes)
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

// readTurns reads a shard's log behind a place. A copy that a cluster is to begin with, and has not, has none.
func readTurns(fs vfs.FS, path string, place turns.Place, fn func(b []byte, at turns.At) error) error {
	dir := directory.Turns(fs, path)
	if _, err := fs.Stat(dir); directory.Missing(err) && place.Number == 0 && place.Hash != 0 {
		return nil
	}
	_, err := locallog.Read(fs, dir, place, func(b []byte, at turns.At, _ turns.Place) error { return fn(b, at) })
	return err
}

// readNewest gives fn a database as its log makes it.
func readNewest(fs vfs.FS, path string, db *pebble.DB, fn func(r pebble.Reader, db *pebble.DB) error) error {
	place, err := format.Place(db)
	if err != nil {
		return err
	}
	n, err := format.Newest(db, func(fn func(b []byte, at turns.At) error) error {
		return readTurns(fs, path, place, fn)
	})
	if err != nil {
		return err
	}
	return errors.Join(fn(n, db), n.Close())
}

// Resharding is another number of shards for a node's copies, while the node is stopped.
type Resharding struct {
	Options
	Shards  int
	ShardOf func(tube string) int
	// Begins is told where the copies stand, and says where the logs of the new shards are to begin.
	Begins func(copies []turns.Place) ([]turns.Place, error)
	// Note is called before the new shards count: whoever finds these finds what it has kept.
	Note func() error
}

// Run moves the jobs of all shards to a new generation, and has the manifest switch to that. The old one is left as it
// was: Return goes back to it, until a store is opened.
func (r Resharding) Run() (c Counts, err error) {
	copies, members, err := r.copies()
	if err != nil {
		return c, err
	}
	origins, err := r.Begins(copies)
	if err != nil {
		return c, err
	}
	s := newStore(r.Options)
	s.shardOf = r.ShardOf
	if err := s.dir.Acquire(); err != nil {
		return c, err
	}
	defer func() { err = errors.Join(err, s.dir.Release()) }()
	m, _, err := s.dir.Usable()
	if err == nil {
		err = s.roomToMove(m)
	}
	if err != nil {
		return c, err
	}
	next := m
	next.Generation, next.Shards = m.Generation+1, r.Shards
	if err := s.dir.MakeGeneration(next.Generation, next.Shards); err != nil {
		return c, err
	}
	if c, err = s.refill(m, next); err != nil {
		return c, errors.Join(err, s.closeLogs(), s.dir.Sweep(m.Generation))
	}
	err = inParallel(next.Shards, func(i int) error {
		return s.rebase(s.dir.Shard(next.Generation, i), next.Shards, origins[i], members)
	})
	if err == nil {
		err = r.Note()
	}
	if err == nil {
		err = s.dir.WriteManifest(next)
	}
	return c, err
}

// refill puts everything into the new generation, has it folded, and counts it.
func (s *store) refill(from, to format.Manifest) (c Counts, err error) {
	step := s.o.Steps.Begin(fmt.Sprintf("moving jobs from %d to %d shards", from.Shards, to.Shards), "jobs")
	f, highest, err := s.fill(from, to, step)
	step.End()
	if err != nil {
		return c, err
	}
	if err := f.commitAll(highest); err != nil {
		return c, err
	}
	for _, l := range s.logs {
		if err := errors.Join(c.count(l), l.foldAll()); err != nil {
			return c, err
		}
	}
	c.MaxID = highest
	return c, s.closeLogs()
}

// copies is where the copies stand, and what they have of the cluster's nodes. They are opened as the node opens them.
func (r Resharding) copies() (places []turns.Place, members []byte, err error) {
	s := newStore(r.Options)
	m, ok, err := s.dir.Usable()
	switch {
	case err != nil:
		return nil, nil, err
	case !ok || m.Cluster == "":
		return nil, nil, fmt.Errorf("storage: %s belongs to no cluster", r.Dir)
	}
	if err := s.whole(m); err != nil {
		return nil, nil, err
	}
	all, err := OpenReplicas(ReplicaOptions{Options: r.Options, Cluster: m.Cluster,
		Origins: make([]turns.Place, m.Shards), leaving: true})
	if err != nil {
		return nil, nil, err
	}
	for i := range m.Shards {
		places = append(places, all.Place(i))
		its := all.Members(i)
		if i > 0 && !bytes.Equal(its, members) {
			err = errors.New("a change of the cluster's nodes is under way: start the cluster, and wait until " +
				"beanfield cluster status shows none")
		}
		members = slices.Clone(its)
	}
	return places, members, errors.Join(err, all.Close())
}

// Return goes back to so many shards, which a Resharding has left as they were.
func Return(o Options, shards int) (err error) {
	s := newStore(o)
	if err := s.dir.Acquire(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.dir.Release()) }()
	m, _, err := s.dir.Usable()
	if err == nil && m.Shards != shards {
		m.Generation, m.Shards = m.Generation-1, shards
		if err = s.dir.VerifyLayout(m); err == nil {
			err = s.dir.WriteManifest(m)
		}
	}
	if err != nil {
		return err
	}
	return s.dir.Sweep(m.Generation)
}
