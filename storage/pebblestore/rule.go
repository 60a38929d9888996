package pebblestore

import (
	"errors"

	"beanfield/storage/pebblestore/contents"
	"beanfield/storage/pebblestore/format"

	"github.com/cockroachdb/pebble/v2"
)

// settle moves the jobs to n shards, if they are on another number of shards, or if one is
// not on the shard that its tube belongs to. Without shardOf nothing is moved.
func (s *store) settle(m format.Manifest, n int) (format.Manifest, error) {
	switch {
	case s.shardOf == nil && m.Shards != n:
		return m, errors.New("the directory is to stay as it is")
	case s.shardOf == nil || m.Shards == n && m.Rule == format.ShardRule:
		return m, nil
	case m.Shards != n:
		s.o.Logger.Info("the number of shards changes: jobs are moved", "from", m.Shards, "to", n)
		return s.reshard(m, n)
	}
	tube, err := s.misplaced(m)
	if err != nil {
		return m, err
	}
	if tube != "" {
		s.o.Logger.Info("tubes belong to other shards than in an older build: jobs are moved", "tube", tube)
		return s.reshard(m, n)
	}
	m.Rule = format.ShardRule
	return m, s.dir.WriteManifest(m)
}

// misplaced finds a tube that is not on its shard. It reads all jobs, but only once for a
// directory: afterwards the manifest has the rule's number.
func (s *store) misplaced(m format.Manifest) (tube string, err error) {
	if m.Shards == 1 {
		return "", nil
	}
	s.o.Logger.Info("the directory is of an older build: every tube's shard is checked once")
	step := s.o.Steps.Begin("checking the shard of every job", "jobs")
	defer step.End()
	for i := range m.Shards {
		err := s.readShard(m, i, func(r pebble.Reader, _ *pebble.DB) (err error) {
			sc, err := contents.NewScan(r)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, sc.Close()) }()
			found, err := sc.First()
			for ; found && err == nil && tube == ""; found, err = sc.Next() {
				step.Count()
				if s.shardOf(sc.Job.Tube) != i {
					tube = sc.Job.Tube
				}
			}
			return err
		})
		if err != nil || tube != "" {
			return tube, err
		}
	}
	return "", nil
}
