package pebblestore

import (
	"fmt"

	"beanfield/storage"
	"beanfield/storage/pebblestore/contents"
	"beanfield/storage/pebblestore/database"
	"beanfield/storage/pebblestore/directory"

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
func (c *Contents) MaxID() (uint64, error) { return contents.MaxID(c.from) }

// Queues calls fn for every queue, in the order of their names.
func (c *Contents) Queues(fn func(q *storage.Queue) error) error {
	return contents.EachQueue(c.from, func(_, _ []byte, q *storage.Queue) error { return fn(q) })
}

// Jobs calls fn for every job, in the order of a replay. A job whose body cannot be read is
// Damaged. Job and body are valid only during the call.
func (c *Contents) Jobs(fn func(j *storage.Job, body []byte) error) error {
	_, err := contents.InReplayOrder(c.from, func(*contents.Scan) error { return nil }, func(s *contents.Scan) error {
		body, err := s.Body()
		if s.Content.Apart && database.FailedToRead(err) {
			s.Job.Damaged, body, err = true, nil, nil
		}
		if err != nil {
			return err
		}
		s.Job.ID = storage.IDOf(s.Job.ID)
		return fn(&s.Job, body)
	})
	return err
}
