package pebblestore

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"beanfield/storage"
	"beanfield/storage/pebblestore/committer"
	"beanfield/storage/pebblestore/directory"
	"beanfield/storage/pebblestore/format"
	"beanfield/storage/turns"
)

// ReplicaOptions are those of a node's copies of shards whose logs are kept elsewhere.
type ReplicaOptions struct {
	Options
	Cluster string
	// Origins are where the logs begin, one for each shard. A new store begins there.
	Origins []turns.Place
	// Anew says that what there is is of no use: it is set aside at the start.
	Anew bool
	// Member says that other nodes have what this one cannot read: then that is set aside at the start.
	Member bool
	// Damaged is told of a copy that cannot be read, and where it is kept, or will be once it has been replaced,
	// because it is in use. It must not wait.
	Damaged func(shard int, kept string, inUse bool, why error)

	leaving bool // whatever the logs are
}

// Replicas are the copies of all shards that a node of a cluster keeps.
type Replicas struct {
	store *store
	gates []gate // one for each shard
}

// copied is what a shard's log has besides if it is a copy.
type copied struct {
	folded atomic.Uint64 // the number of the last record that the store has
	parts  []byte        // of turns whose last part is still to come, for the one who calls Take
	start  turns.At
	folds  bool // foldLoop runs
	strays []uint64
	harmed atomic.Bool // Damaged was told
	empty  bool        // it has the file emptyName
	// what it had of the cluster's nodes when it was opened; the window knows what came since
	members []byte

	stopped bool

	awaited atomic.Pointer[awaited]
	summing sync.Mutex
	changes changes
}

// OpenReplicas opens a node's data directory, or makes it.
func OpenReplicas(o ReplicaOptions) (*Replicas, error) {
	if o.Cluster == "" {
		return nil, errors.New("storage: a cluster needs a name")
	}
	o.Sync = storage.Always // who owns a shard acknowledges only what counts
	s := newStore(o.Options)
	s.cluster, s.dir.Cluster = &o, o.Cluster
	if err := s.setAllAside(len(o.Origins)); err != nil {
		return nil, err
	}
	if err := s.restore(); err != nil {
		return nil, err
	}
	if o.Anew {
		if err := s.empty(); err != nil {
			return nil, err
		}
	}
	if err := s.take(len(o.Origins), nil); err != nil {
		return nil, err
	}
	return &Replicas{s, make([]gate, len(s.logs))}, nil
}

func (s *store) clusterName() string {
	if s.cluster == nil {
		return ""
	}
	return s.cluster.Cluster
}

// origin is where the log of a new store begins.
func (s *store) origin(shard int) turns.Place {
	if s.cluster == nil {
		return newPlace()
	}
	return s.cluster.Origins[shard]
}

// belongs refuses the directory of a cluster for a server by itself, and the reverse.
func (s *store) belongs(m format.Manifest, shards int) error {
	name := s.clusterName()
	switch {
	case m.Cluster == name && (name == "" || m.Shards == shards || m.Creating):
		return nil
	case m.Creating && m.Cluster == "":
		return nil // there is nothing in it
	case m.Cluster == name:
		return directory.Error(s.o.Dir, directory.ErrForeign, "it has %d shards, and the cluster %s has %d: if that "+
			"number was changed without this node, beanfield cluster reshard -to %d prepares it", m.Shards, name, shards, shards)
	case m.Cluster == "":
		return directory.Error(s.o.Dir, directory.ErrForeign,
			"it holds the jobs of a server by itself, not of the cluster %s; "+
				"beanfield cluster init makes it the beginning of a new one", name)
	case name == "":
		return directory.Error(s.o.Dir, directory.ErrForeign, "it belongs to a node of the cluster %s; "+
			"beanfield cluster detach makes it a directory of a server by itself", m.Cluster)
	}
	return directory.Error(s.o.Dir, directory.ErrForeign, "it belongs to the cluster %s, not %s", m.Cluster, name)
}

// begins makes a log ready: for its owner, or, if it is a copy, for records.
func (l *shardLog) begins(fresh bool) error {
	if l.store.cluster == nil {
		return l.start(fresh)
	}
	if err := l.read(fresh); err != nil {
		return err
	}
	if origin := l.store.origin(l.shard); l.place.Origin != origin.Origin && !l.store.cluster.leaving {
		return directory.Error(l.store.o.Dir, directory.ErrForeign,
			"the log of %s is another one than that of the cluster: %x, not %x",
			l.name, l.place.Origin, origin.Origin)
	}
	l.copied.folded.Store(l.place.Number)
	_, err := l.store.o.FS.Stat(l.store.emptyMark(l.shard))
	if err != nil && !directory.Missing(err) {
		return err
	}
	l.copied.empty = err == nil
	if err := l.filled(); err != nil {
		return err
	}
	if l.copied.members, err = format.Members(l.db); err != nil {
		return err
	}
	if l.copied.parts, l.copied.start, err = l.turns.Unfinished(); err != nil {
		return err
	}
	l.copied.folds = true
	go l.foldLoop()
	return nil
}

// Shards is how many there are.
func (r *Replicas) Shards() int { return len(r.store.logs) }

// Place is that of the last record that a copy has. It may not be called beside Take.
func (r *Replicas) Place(shard int) turns.Place { return r.store.logs[shard].turns.Place() }

// Durable is the number of the last record of which the copy needs no other any more, whatever
// happens to this machine but the loss of its disk.
func (r *Replicas) Durable(shard int) uint64 { return r.store.logs[shard].copied.folded.Load() }

// Fold makes all durable that a copy has. It does nothing beside Replace.
func (r *Replicas) Fold(shard int) error {
	_, leave, ok := r.gates[shard].enter(context.Background())
	if !ok {
		return nil
	}
	defer leave()
	return r.store.logs[shard].foldAll()
}

// Members is what a copy has of the cluster's nodes; nil if it has nothing. It may not be called beside Replace.
func (r *Replicas) Members(shard int) []byte {
	l := r.store.logs[shard]
	if newest := l.window.Members(); newest != nil {
		return newest
	}
	return l.copied.members
}

// Low says that the disk has too little room for an owner's; empty if it has enough.
func (r *Replicas) Low() string {
	if !r.store.space.low.Load() {
		return ""
	}
	return fmt.Sprintf("disk space is low: with less than %d MiB no jobs are accepted (storage.min_free)",
		r.store.space.reserve/mib)
}

// Take gives a copy the next record that counts. While the log is full, it waits for the store.
func (r *Replicas) Take(shard int, rec turns.Record, data []byte, hash uint64) error {
	l := r.store.logs[shard]
	var at turns.At
	err := l.whenRoom(l.store.ctx.Done(), func() (_ uint64, err error) {
		at, err = l.turns.Copy(rec, data, hash)
		return rec.Number, err
	})
	if err != nil {
		return err
	}
	b, c := rec.Turns, &l.copied
	if !rec.Rest {
		c.parts, c.start = nil, at
	}
	if rec.More || rec.Rest {
		c.parts = append(c.parts, b...)
		b = c.parts
	}
	if rec.More {
		return nil
	}
	if err := l.window.Absorb(b, c.start); err != nil {
		return l.errorf("record %d: %w", rec.Number, err)
	}
	c.parts = nil
	if err := c.changes.note(b); err != nil {
		return l.errorf("record %d: %w", rec.Number, err)
	}
	l.knows(rec.Number, at)
	l.copied.reached(rec.Number)
	return nil
}

// Stop has every Take that waits for room return with an error.
func (r *Replicas) Stop() { r.store.cancel() }

// Close closes the copies. Nobody may call anything else any more.
func (r *Replicas) Close() error {
	for i := range r.gates {
		r.gates[i].shut() // for good
	}
	return r.store.Close()
}

// stop ends the fold of a copy, and closes its files.
func (l *shardLog) stop() error {
	if l.copied.stopped {
		return nil // a checkpoint did not take its place
	}
	l.copied.stopped = true
	if !l.copied.folds {
		return l.closeFiles()
	}
	return l.endFold()
}

// Checkpoint copies the store of a shard to a directory on the same disk, which must not exist. It
// says where that store stands: the log is not copied.
func (r *Replicas) Checkpoint(shard int, dir string) (turns.Place, error) {
	l := r.store.logs[shard]
	place, err := l.copyStore(dir)
	if err != nil {
		return turns.Place{}, l.errorf("checkpoint: %w", err)
	}
	return place, nil
}

// What a store is called while a checkpoint takes its place, and then goes; or is kept, if it is damaged.
const (
	replacedSuffix = ".replaced"
	damagedSuffix  = ".damaged"
)

// Replace has a checkpoint take the place of a shard's store: the directory is moved. A store that is
// damaged is kept aside. Nothing else may be called for this shard meanwhile.
func (r *Replicas) Replace(shard int, dir string, damaged bool) error {
	defer r.gates[shard].shut()()
	s := r.store
	s.upkeep[shard].Lock() // a compaction that has begun comes to its end
	defer s.upkeep[shard].Unlock()
	l := s.logs[shard]
	if err := l.stop(); err != nil {
		return err
	}
	path := s.dir.Shard(s.now.Generation, shard)
	fs, replaced := s.o.FS, path+replacedSuffix
	if damaged {
		replaced = path + damagedSuffix
	}
	err := fs.Rename(path, replaced)
	if err == nil {
		err = fs.Rename(dir, path)
	}
	if err == nil {
		err = directory.SyncDir(fs, s.dir.Generation(s.now.Generation))
	}
	if err == nil {
		err = s.giveUp(path, replaced)
	}
	if err != nil {
		return fmt.Errorf("storage: a checkpoint for %s: %w", l.name, err)
	}
	return s.openLog(shard, false)
}

// giveUp removes what a checkpoint has taken the place of, or keeps it.
func (s *store) giveUp(path, replaced string) error {
	if replaced == path+damagedSuffix {
		return s.keepAside(s.o.FS.PathBase(path), replaced)
	}
	return s.o.FS.RemoveAll(replaced)
}

// restore finishes what Replace had begun when the process ended: a store that a checkpoint has
// taken the place of goes, or is kept, one for which there is none yet comes back.
func (s *store) restore() error {
	m, ok, err := s.dir.ReadManifest()
	if err != nil || !ok {
		return err
	}
	fs := s.o.FS
	for i := range m.Shards {
		path := s.dir.Shard(m.Generation, i)
		for _, replaced := range []string{path + replacedSuffix, path + damagedSuffix} {
			_, err := fs.Stat(replaced)
			if directory.Missing(err) {
				continue
			}
			if err == nil {
				_, err = fs.Stat(path)
			}
			if err == nil {
				err = s.giveUp(path, replaced)
			} else if directory.Missing(err) {
				err = fs.Rename(replaced, path)
			}
			if err != nil {
				return fmt.Errorf("storage: %w", err)
			}
		}
	}
	return nil
}

var _ committer.Log = (*owning)(nil)
