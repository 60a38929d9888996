package pebblestore

import (
	"errors"
	"fmt"

	"beanfield/storage"
	"beanfield/storage/pebblestore/directory"
	"beanfield/storage/pebblestore/format"
	"beanfield/storage/turns"
)

// Intake fills a new data directory with jobs from another place. All jobs must arrive
// or none: a server must not start on half of them. So the manifest says that the
// directory is unfinished, from the beginning until everything is on disk. A store
// refuses such a directory; another intake starts over in it.
//
// An intake is for one goroutine, and ends with Finish or Abort.
type Intake struct {
	filler
	made   bool // the directory did not exist
	closed bool // the logs, or as far as they could be
	ended  bool
}

// filler puts jobs from elsewhere into the logs of a store that nobody uses yet.
type filler struct {
	store   *store
	pending []int // bytes put since the last commit of each log
	limit   int   // of pending, before it is forced to the disk
}

func (s *store) filler() filler {
	return filler{store: s, pending: make([]int, s.now.Shards), limit: intakeTurn}
}

// intakeTurn is how many bytes are put in a shard before they are committed.
const intakeTurn = mib

// CheckIntake returns an error if a directory cannot be filled. It changes nothing.
func CheckIntake(o Options) error {
	o = o.withDefaults()
	return (&directory.Dir{FS: o.FS, Path: o.Dir}).Free()
}

// NewIntake begins to fill a directory, which must not exist, or be empty, or be
// left from an intake that did not end. The ballast is the server's to make.
func NewIntake(o Options, shards int, shardOf func(tube string) int) (*Intake, error) {
	o.Ballast = -1
	return newIntake(newStore(o), shards, shardOf)
}

func newIntake(s *store, shards int, shardOf func(string) int) (*Intake, error) {
	if err := errors.Join(format.CheckShards(shards), s.dir.Free()); err != nil {
		return nil, err
	}
	_, err := s.dir.FS.Stat(s.dir.Path)
	s.shardOf, s.now = shardOf, format.Manifest{Generation: 1, Shards: shards, Filling: true}
	in := &Intake{filler: s.filler(), made: directory.Missing(err)}
	if err := s.dir.Acquire(); err != nil {
		return nil, err // if it is somebody's, it is not for us to clean up
	}
	if err := in.begin(); err != nil {
		return nil, errors.Join(err, in.Abort())
	}
	return in, nil
}

func (in *Intake) begin() error {
	s := in.store
	if err := s.dir.Free(); err != nil { // now it is locked
		in.ended = true
		return errors.Join(err, s.dir.Release())
	}
	s.fit()
	if err := s.begin(); err != nil {
		return err
	}
	s.startLoops()
	return nil
}

// Put adds a job, as one record with all that has happened to it. Neither it
// nor the body is kept.
func (f *filler) Put(j *storage.Job, body []byte) error {
	if j.Item != nil && j.Item.Moved { // its record has the tube that it was moved to, where it has no keys
		put := *j
		put.Item = j.Item.Clone()
		put.Item.Moved, put.Item.Keys = false, nil
		j = &put
	}
	n := len(body) + len(j.Tube) + len(format.TagsOf(j))
	i := f.store.shardOf(j.Tube)
	l := f.store.logs[i]
	if !l.Room(n) {
		f.store.space.look() // nobody may have, for a while
		if !l.Room(n) {
			return directory.Error(f.store.dir.Path, storage.ErrNoSpace, "job %d does not fit", j.ID)
		}
	}
	if j.Size > storage.LargeBody {
		done := make(committed, 1)
		l.Stage(j.Key(), [][]byte{body}, done)
		if err := <-done; err != nil {
			return err
		}
	}
	l.Put(j, body)
	return f.added(i, n)
}

// PutQueue adds what is kept of a queue.
func (f *filler) PutQueue(q *storage.Queue) error {
	i := f.store.shardOf(q.Tube)
	f.store.logs[i].PutQueue(q)
	return f.added(i, len(q.Tube))
}

// added ends the turn of a log when the log has been given enough.
func (f *filler) added(i, n int) error {
	if f.pending[i] += n; f.pending[i] < f.limit {
		return nil
	}
	return f.commit(i)
}

// committed is an Ack that can be waited for.
type committed chan error

func (c committed) Committed(err error) { c <- err }

func (f *filler) commit(i int) error {
	f.pending[i] = 0
	done := make(committed, 1)
	if f.store.logs[i].Commit(done) {
		return nil
	}
	return <-done
}

// Finish makes the directory a data directory, in which ids go on after last or
// after the highest job's. When it fails, it aborts.
func (in *Intake) Finish(last uint64) error {
	if in.ended {
		return errors.New("storage: the intake has ended")
	}
	err := in.commitAll(last)
	if err == nil {
		err = in.close()
	}
	if err == nil {
		err = in.count() // from now on, and not before, the directory counts
	}
	if err != nil {
		return errors.Join(err, in.Abort())
	}
	in.ended = true
	// Everything is on the disk. A lock that cannot be given back ends with the
	// process.
	_ = in.store.dir.Release()
	return nil
}

// commitAll ends the last turn of each log, which also notes the highest id:
// that may be of a job that is long gone.
func (f *filler) commitAll(last uint64) error {
	for i, l := range f.store.logs {
		l.raise(last)
		if err := f.commit(i); err != nil {
			return err
		}
	}
	return nil
}

func (in *Intake) close() error {
	if in.closed {
		return nil
	}
	in.closed = true
	in.store.cancel()
	in.store.loops.Wait()
	return in.store.closeLogs()
}

// count lets the manifest say that the directory is complete.
func (in *Intake) count() error {
	in.store.now.Filling = false
	return in.store.dir.WriteManifest(in.store.now)
}

// Abort removes everything that was written, unless the intake has ended. What
// cannot be removed must be refused by a store, so the manifest is removed last.
func (in *Intake) Abort() error {
	if in.ended {
		return nil
	}
	in.ended = true
	_ = in.close() // what it says does not matter any more
	s := in.store
	if err := in.remove(); err != nil {
		return errors.Join(fmt.Errorf("storage: %s holds a useless remainder, remove it: %w", s.dir.Path, err),
			s.dir.Release())
	}
	err := s.dir.Release()
	if in.made {
		err = errors.Join(err, s.dir.FS.Remove(s.dir.Path))
	}
	return err
}

func (in *Intake) remove() error {
	s := in.store
	if !s.now.Filling {
		// The manifest may already say that it is complete, without being durable.
		s.now.Filling = true
		if err := s.dir.WriteManifest(s.now); err != nil {
			return err
		}
	}
	if err := s.dir.Sweep(0); err != nil {
		return err
	}
	for _, name := range []string{directory.ManifestName, directory.LockName} {
		if err := directory.Remove(s.dir.FS, s.dir.Join(name)); err != nil {
			return err
		}
	}
	return nil
}

// raise makes the log note an id as given, with the turn that ends next.
func (l *shardLog) raise(id uint64) {
	g := l.committer.Begin()
	g.Buf = turns.AppendRaise(g.Buf, id)
}
