package pebblestore

import (
	"errors"
	"fmt"
	"io"

	"beanfield/storage"
	"beanfield/storage/pebblestore/database"
	"beanfield/storage/pebblestore/directory"
	"beanfield/storage/pebblestore/format"
	"beanfield/storage/pebblestore/repair"
	"beanfield/storage/turns"

	"github.com/cockroachdb/pebble/v2"
)

// Read calls fn for each shard of a data directory, in order. No process may have the directory
// in use, and nothing in it is changed: not even a lock is taken. A directory that a server
// would refuse is refused.
func Read(o Options, fn func(shard int, c *Contents) error) (shards int, err error) {
	o = o.withDefaults()
	o.FS = database.Frozen{FS: o.FS}
	s := newStore(o)
	m, ok, err := s.dir.Usable()
	switch {
	case err != nil:
		return 0, err
	case !ok || m.Creating:
		return 0, directory.Error(o.Dir, directory.ErrUnfinished,
			"the process that made it ended too early; there are no jobs in it")
	}
	if err := s.whole(m); err != nil {
		return 0, err
	}
	if err := s.verify(m); err != nil {
		return 0, err
	}
	for i := range m.Shards {
		err := s.readShard(m, i, func(r pebble.Reader, _ *pebble.DB) error { return fn(i, &Contents{r}) })
		if err != nil {
			return 0, s.dir.OrSalvage(fmt.Errorf("storage: shard-%03d: %w", i, err), "")
		}
	}
	return m.Shards, nil
}

// Contents is what is in one shard of a directory that is only read.
type Contents struct{ from pebble.Reader }

// MaxID is what Log says.
func (c *Contents) MaxID() (uint64, error) { return format.MaxID(c.from) }

// Queues calls fn for every queue, in the order of their names.
func (c *Contents) Queues(fn func(q *storage.Queue) error) error {
	return format.EachQueue(c.from, fn)
}

// Jobs calls fn for every job, in the order of a replay. A job whose body cannot be read is
// Damaged. Job and body are valid only during the call.
func (c *Contents) Jobs(fn func(j *storage.Job, body []byte) error) error {
	return relayed(c.relay, fn)
}

func (c *Contents) relay(to *relay) error {
	return format.InReplayOrder(c.from, func(*format.Scan) error { return nil }, func(s *format.Scan) error {
		body, err := s.Body()
		if s.Content.Apart && database.FailedToRead(err) {
			s.Job.Damaged, body, err = true, nil, nil
		}
		if err != nil {
			return err
		}
		s.Job.ID = storage.IDOf(s.Job.ID)
		return to.give(&s.Job, body, s.Content.Apart && body != nil)
	})
}

// verify checks, before anything is touched, that everything is there that is known to
// have been on disk. Pebble would take an unreadable end of its newest log, or an
// unreadable part of its manifest, for the result of a crash, and then remove files that
// it takes for garbage.
func (s *store) verify(m format.Manifest) error {
	if s.cluster != nil && s.cluster.Member {
		return s.verifyCopies(m)
	}
	err := s.dir.VerifyLayout(m)
	if err == nil {
		err = inParallel(m.Shards, func(i int) error { return s.verifyShard(m, i) })
	}
	return s.dir.OrSalvage(err, "Nothing was changed. ")
}

func (s *store) verifyShard(m format.Manifest, i int) error {
	dir := s.dir.Shard(m.Generation, i)
	step := s.o.Steps.Begin("checking the files of "+s.o.FS.PathBase(dir), "records")
	defer step.End()
	w, err := repair.Check(s.o.FS, dir)
	if err != nil {
		return err
	}
	if err := s.checkOptions(w); err != nil {
		return err
	}
	return s.checkTurns(w, step)
}

// checkTurns reads the log behind the place where the store stands. What the manifest
// has lost is noticed here too: then the store stands where the log has been trimmed.
func (s *store) checkTurns(w *repair.Witness, step *storage.Step) error {
	var place turns.Place
	err := s.readDatabase(w.Dir, s.o.FS.PathBase(w.Dir), func(db *pebble.DB) (err error) {
		place, err = format.Place(db)
		return err
	})
	if err != nil {
		return err
	}
	if s.cluster != nil {
		return nil // what is missing of the copy is read again where the log is kept
	}
	return readTurns(s.o.FS, w.Dir, place, func([]byte, turns.At) error {
		step.Count()
		return nil
	})
}

// checkOptions has Pebble's newest options looked at as Pebble itself will.
func (s *store) checkOptions(w *repair.Witness) error {
	newest, path := uint64(0), ""
	for _, n := range w.Names {
		if number, ok := database.Numbered(n, "OPTIONS-", ""); ok && number >= newest {
			newest, path = number, w.FS.PathJoin(w.Dir, n)
		}
	}
	if path == "" {
		return nil // they are written anew
	}
	f, _, err := w.Open(path)
	if err != nil {
		return err
	}
	text, err := io.ReadAll(f)
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("storage: %s: %w", path, err)
	}
	if err := database.CheckOptions(w.Dir, string(text), s.o.Logger); err != nil {
		return directory.Damaged(path, "%.200v", err) // it quotes words of any length
	}
	return nil
}
