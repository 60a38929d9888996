package pebblestore

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"beanfield/storage"
	"beanfield/storage/locallog"
	"beanfield/storage/pebblestore/database"
	"beanfield/storage/pebblestore/directory"
	"beanfield/storage/pebblestore/format"
	"beanfield/storage/turns"

	"github.com/cockroachdb/pebble/v2"
)

// Counts say how much a directory has.
type Counts struct {
	Jobs, Buried, Delayed, Passed, Queues int // ready jobs are the rest
	Shards                                int
	MaxID                                 uint64
}

func (c *Counts) count(l storage.Log) error {
	err := l.ReplayQueues(func(*storage.Queue) error {
		c.Queues++
		return nil
	})
	if err != nil {
		return err
	}
	c.Shards++
	c.MaxID = max(c.MaxID, l.MaxID())
	return l.Replay(func(j *storage.Job, _ []byte) error {
		c.Jobs++
		switch j.State {
		case storage.Buried:
			c.Buried++
		case storage.Delayed:
			c.Delayed++
		case storage.Passed:
			c.Passed++
		}
		return nil
	})
}

// Found makes an empty directory the beginning of a cluster: a copy of each shard with the jobs of
// a server by itself, whose directory is from and stays as it is. note is told where the cluster's
// logs begin, before the new directory counts: whoever finds that directory finds what note has kept.
func Found(o Options, from, cluster string, note func(origins []turns.Place) error) (c Counts, err error) {
	source := o
	source.Dir = from
	s := newStore(source)
	m, ok, err := s.dir.Usable()
	switch {
	case err != nil:
		return c, err
	case !ok:
		return c, fmt.Errorf("storage: %s is no data directory", from)
	}
	if _, err := s.Open(m.Shards, nil); err != nil {
		return c, err
	}
	for _, l := range s.logs {
		err = errors.Join(err, c.count(l))
	}
	if err == nil {
		err = s.found(o, cluster, note)
	}
	return c, errors.Join(err, s.Close())
}

// found copies a running store. Until all is done, the manifest says that the directory is not whole.
func (s *store) found(o Options, cluster string, note func([]turns.Place) error) (err error) {
	to := newStore(o)
	if err := to.dir.Free(); err != nil {
		return err
	}
	if err := to.dir.Acquire(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, to.dir.Release()) }()
	m := format.Manifest{Generation: 1, Shards: s.now.Shards, Filling: true}
	if err := errors.Join(to.dir.WriteManifest(m), to.dir.Sweep(0)); err != nil {
		return err
	}
	if err := s.copyInto(to.dir, m); err != nil {
		return err
	}
	origins := make([]turns.Place, m.Shards)
	err = inParallel(m.Shards, func(i int) error {
		origins[i] = turns.Place{Origin: rand.Uint64(), Hash: 1 + rand.Uint64N(1<<63)} // an empty copy has no hash
		return to.rebase(to.dir.Shard(1, i), m.Shards, origins[i], nil)
	})
	if err != nil {
		return err
	}
	if err := note(origins); err != nil {
		return err
	}
	m.Filling, m.Cluster = false, cluster
	return to.dir.WriteManifest(m)
}

// rebase has the store of a shard, all of whose log has been folded, begin another log.
func (s *store) rebase(path string, shards int, place turns.Place, members []byte) error {
	sh := s.o.sharing(s.o.FS, shards)
	f := database.NewFault(nil)
	st, err := openStore(sh, f, path, s.o.FS.PathBase(path), func(o *pebble.Options) { o.ErrorIfNotExists = true })
	if err != nil {
		return fmt.Errorf("storage: open %s: %w", path, database.Explain(err))
	}
	highest, err := st.goOn()
	if err == nil {
		err = st.begin(place, highest, members)
	}
	if err = errors.Join(err, st.close()); err != nil {
		return err
	}
	sh.Close()
	return s.o.FS.RemoveAll(directory.Turns(s.o.FS, path))
}

// Leave makes a node's directory that of a server by itself, with what the node has of the
// cluster's jobs. It may be called again if it did not end. The engine's files are left alone.
func Leave(o Options) (c Counts, err error) {
	s := newStore(o)
	m, ok, err := s.dir.Usable()
	switch {
	case err != nil:
		return c, err
	case !ok || m.Cluster == "":
		return c, fmt.Errorf("storage: %s belongs to no cluster", o.Dir)
	}
	r, err := OpenReplicas(ReplicaOptions{Options: o, Cluster: m.Cluster, Origins: make([]turns.Place, m.Shards),
		leaving: true})
	if err != nil {
		return c, err
	}
	if err := r.store.whole(m); err != nil {
		return c, errors.Join(err, r.Close())
	}
	alone := r.Serve(func(int) Upstream { return nil })
	logs, err := alone.Open(m.Shards, nil)
	for _, l := range logs {
		if err == nil {
			err = errors.Join(c.count(l), l.(*owned).foldAll())
		}
	}
	if err = errors.Join(err, alone.Close()); err == nil {
		err = r.store.alone(m)
	}
	return c, errors.Join(err, r.store.dir.Release())
}

// alone ends what Leave has begun, of a store whose logs have been folded.
func (s *store) alone(m format.Manifest) error {
	s.cancel()
	s.loops.Wait()
	if err := s.closeLogs(); err != nil {
		return err
	}
	o := newStore(s.cluster.Options)
	err := inParallel(m.Shards, func(i int) error {
		path, place := s.dir.Shard(m.Generation, i), newPlace()
		if err := s.rebase(path, m.Shards, place, nil); err != nil {
			return err
		}
		return locallog.Create(o.logOptions(path, m.Shards), place)
	})
	if err != nil {
		return err
	}
	m.Cluster = ""
	return s.dir.WriteManifest(m)
}
