package pebblestore

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"beanfield/storage"
	"beanfield/storage/pebblestore/database"
	"beanfield/storage/pebblestore/directory"
	"beanfield/storage/pebblestore/format"
	"beanfield/storage/turns"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// Pebble is the durable store: a Pebble database for each shard.
func New(o Options) storage.Store { return newStore(o) }

type store struct {
	o       Options
	dir     *directory.Dir
	space   *space
	sharing *database.Sharing
	logs    []*shardLog
	upkeep  []sync.RWMutex // by shard: held while another log takes the place of one, shared while one is looked after
	now     format.Manifest
	shardOf func(tube string) int

	cluster *ReplicaOptions // nil if the log is on this machine alone
	anew    []bool          // copies that were set aside, and are empty
	copying sync.Mutex      // one checkpoint at a time

	running atomic.Bool // Open has succeeded
	fatal   sync.Once
	ctx     context.Context // ends with Close
	cancel  context.CancelFunc
	loops   sync.WaitGroup
	// ticker is time's, or a test's.
	ticker func(time.Duration) (tick <-chan time.Time, stop func())
}

func newStore(o Options) *store {
	o = o.withDefaults()
	s := &store{o: o, dir: &directory.Dir{FS: o.FS, Path: o.Dir}}
	s.space = newSpace(o, s.dir)
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.ticker = func(d time.Duration) (<-chan time.Time, func()) {
		t := time.NewTicker(d)
		return t.C, t.Stop
	}
	return s
}

// Durable implements Store.
func (s *store) Durable() bool { return true }

// Open implements Store.
func (s *store) Open(n int, shardOf func(tube string) int) ([]storage.Log, error) {
	if err := s.take(n, shardOf); err != nil {
		return nil, err
	}
	logs := make([]storage.Log, n)
	for i, l := range s.logs {
		logs[i] = l
	}
	return logs, nil
}

// take opens the directory, and all that is in it. Nothing is touched before the directory is known
// to be ours, of a format that this build reads, and free.
func (s *store) take(n int, shardOf func(tube string) int) error {
	if err := format.CheckShards(n); err != nil {
		return err
	}
	if _, _, err := s.usable(n); err != nil {
		return err
	}
	if err := s.dir.Acquire(); err != nil {
		return err
	}
	if err := s.open(n, shardOf); err != nil {
		return errors.Join(err, s.abort())
	}
	s.running.Store(true)
	s.startLoops()
	return nil
}

// usable is the manifest of a directory that may be opened with so many shards, if there is one.
func (s *store) usable(n int) (m format.Manifest, ok bool, err error) {
	m, ok, err = s.dir.Usable()
	if err == nil && ok {
		err = s.belongs(m, n)
	}
	return m, ok, err
}

func (s *store) open(n int, shardOf func(string) int) error {
	m, ok, err := s.usable(n) // now the directory is locked
	if err != nil {
		return err
	}
	if ok && !m.Creating {
		if err := s.verify(m); err != nil {
			return err
		}
	}
	if err := s.prepare(m, ok && !m.Creating); err != nil {
		return err
	}
	if !ok || m.Creating {
		return s.create(n)
	}
	if s.cluster != nil {
		s.now = m
		return s.openLogs(false)
	}
	s.shardOf = shardOf
	if m, err = s.settle(m, n); err != nil {
		return s.dir.OrSalvage(fmt.Errorf("storage: from %d to %d shards: %w", m.Shards, n, err), "")
	}
	s.now = m
	return s.openLogs(false)
}

// prepare removes from a directory what earlier runs have left. kept says that it has jobs.
func (s *store) prepare(m format.Manifest, kept bool) error {
	step := s.o.Steps.Begin("removing what earlier runs have left in "+s.dir.Path, "")
	defer step.End()
	if err := directory.Remove(s.dir.FS, s.space.ballast); err != nil {
		return fmt.Errorf("storage: %w", err)
	}
	s.fit()
	if !kept {
		return nil
	}
	return s.dir.Sweep(m.Generation)
}

// create makes the first generation. Until that is complete, the manifest says so.
func (s *store) create(n int) error {
	s.now = format.Manifest{Generation: 1, Shards: n, Creating: true, Cluster: s.clusterName()}
	if err := s.begin(); err != nil {
		return err
	}
	s.now.Creating = false
	return s.dir.WriteManifest(s.now)
}

// begin writes the manifest in s.now, removes what is left of an earlier attempt, and
// makes the first generation.
func (s *store) begin() error {
	if err := s.dir.WriteManifest(s.now); err != nil {
		return err
	}
	if err := s.dir.Sweep(0); err != nil {
		return err
	}
	if err := s.dir.MakeGeneration(s.now.Generation, s.now.Shards); err != nil {
		return err
	}
	return s.openLogs(true)
}

// openLogs opens all shards of the generation that counts, side by side, or makes them.
func (s *store) openLogs(fresh bool) error {
	s.sharing = s.o.sharing(s.space.wrap(), s.now.Shards)
	s.logs, s.upkeep = make([]*shardLog, s.now.Shards), make([]sync.RWMutex, s.now.Shards)
	return inParallel(s.now.Shards, func(i int) error { return s.openLog(i, fresh) })
}

// openLog opens the log and the store of one shard, or makes them. The others need not be open.
func (s *store) openLog(i int, fresh bool) error {
	l := newShardLog(s, i, fmt.Sprintf("shard-%03d", i))
	s.logs[i] = l
	if s.anew != nil && s.anew[i] {
		fresh, s.anew[i] = true, false
	}
	path := s.dir.Shard(s.now.Generation, i)
	step := s.o.Steps.Begin("opening "+l.name, "")
	defer step.End()
	err := removeLogs(s.o.FS, path)
	if err == nil && fresh && s.cluster != nil && s.cluster.Member {
		err = s.markEmpty(i)
	}
	var base *shardStore
	if err == nil {
		base, err = openStore(s.sharing, l.fault, path, l.name, func(o *pebble.Options) {
			o.ErrorIfExists, o.ErrorIfNotExists = fresh, !fresh
			l.tallies.listen(o.EventListener)
			l.watch(o.EventListener)
		})
	}
	if err == nil {
		l.db, l.base, l.fs, l.stager = base.db, base.base, base.fs, base.stager // the rest may be in use already
		err = l.begins(fresh)
	}
	if !fresh && !s.running.Load() && s.mends(err) && l.closeFiles() == nil {
		if err = s.setAside(s.now, i, err); err == nil {
			return s.openLog(i, true)
		}
	}
	if err != nil {
		return s.dir.OrSalvage(fmt.Errorf("storage: open %s: %w", path, database.Explain(err)), "")
	}
	return nil
}

// removeLogs removes the logs of Pebble's, in which nothing is: it begins an empty one at each start, and would keep
// them all until it flushes.
func removeLogs(fs vfs.FS, dir string) error {
	return directory.RemoveThose(fs, dir, func(name string) bool {
		_, ok := database.Numbered(name, "", ".log")
		return ok
	})
}

// inParallel runs fn for 0 to n-1 at the same time and joins the errors: opening
// a database is mostly waiting for the disk.
func inParallel(n int, fn func(i int) error) error {
	errs := make([]error, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { errs[i] = fn(i) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

// How often the free space is measured, and the databases looked at for garbage.
const (
	lookEvery    = 250 * time.Millisecond
	compactEvery = 5 * time.Second
)

func (s *store) startLoops() {
	s.loops.Go(func() { s.every(lookEvery, s.space.look) })
	s.loops.Go(func() { s.every(compactEvery, s.compactWhatIsDue) })
	s.loops.Go(func() { s.every(relieveEvery, s.relieve) })
	if s.o.Sync != storage.Interval {
		return
	}
	for _, l := range s.logs {
		s.loops.Go(func() {
			tick, stop := s.ticker(s.o.SyncEvery)
			defer stop()
			l.syncLoop(tick, s.ctx.Done())
		})
	}
}

func (s *store) every(d time.Duration, fn func()) {
	tick, stop := s.ticker(d)
	defer stop()
	for {
		select {
		case <-tick:
			fn()
		case <-s.ctx.Done():
			return
		}
	}
}

// report tells the process of an error that ends a log.
func (s *store) report(err error) {
	s.o.Logger.Error("a log has failed and accepts nothing more", "error", err)
	if s.running.Load() { // otherwise Open returns it
		s.fatal.Do(func() { go s.o.Fatal(err) })
	}
}

// abort gives back what a failed Open has taken.
func (s *store) abort() error {
	return errors.Join(s.closeLogs(), s.dir.Release())
}

// Close implements Store. A log that has failed is left as it is: its database
// may never answer again, and the lock stays until the process ends.
func (s *store) Close() error {
	s.cancel()
	s.loops.Wait()
	if err := s.closeLogs(); err != nil {
		return err
	}
	return errors.Join(directory.Remove(s.dir.FS, s.space.ballast), s.dir.Release())
}

func (s *store) closeLogs() error {
	err := inParallel(len(s.logs), func(i int) error {
		if s.logs[i] == nil {
			return nil
		}
		return s.logs[i].close()
	})
	if err == nil && s.sharing != nil {
		s.sharing.Close()
		s.sharing = nil
	}
	s.logs = nil
	return err
}

// close ends the committer after all that was committed, then the fold, the log and the
// store. What has not been folded is in the log.
func (l *shardLog) close() error {
	if l.store.cluster != nil {
		return l.stop()
	}
	if started := l.committer.Close(); !started {
		return l.closeFiles()
	}
	staged := make(chan struct{})
	go func() {
		l.stages.Wait()
		close(staged)
	}()
	l.ended(l.committer.Done)
	l.ended(staged)
	return l.endFold()
}

// ended returns when something has ended, or the log has failed.
func (l *shardLog) ended(what <-chan struct{}) {
	select {
	case <-what:
	case <-l.fault.Dead:
	}
}

// endFold ends the fold, and closes the files.
func (l *shardLog) endFold() error {
	close(l.foldStop)
	l.ended(l.foldEnded)
	return l.closeFiles()
}

func (l *shardLog) closeFiles() error {
	if err := l.fault.Err(); err != nil {
		return l.errorf("%w", err)
	}
	var err error
	if l.turns != nil {
		err = l.turns.Close()
	}
	if l.db != nil {
		err = errors.Join(err, l.shardStore.close())
	}
	if err != nil {
		return l.errorf("close: %w", err)
	}
	return nil
}

// Errors that callers tell apart with errors.Is.
var (
	ErrInUse      = directory.ErrInUse
	ErrForeign    = directory.ErrForeign
	ErrVersion    = format.ErrVersion
	ErrUnfinished = directory.ErrUnfinished
)

// Formats are the versions of what this build writes to a data directory, by what it is.
func Formats() map[string]int {
	all := format.Versions()
	all["log"], all["tables"] = int(turns.Version([]byte(turns.Magic))), int(database.FormatVersion)
	return all
}

// ClusterDir is where a node of a cluster keeps what its store does not have.
func ClusterDir(dir string) string { return filepath.Join(dir, directory.ClusterName) }

// DamagedManifest tells whether the text of a manifest is not what was written.
func DamagedManifest(text []byte) bool {
	_, err := format.DecodeManifest("", text)
	return errors.Is(err, storage.ErrCorrupt)
}

// HistoryName is that of a file that a server may keep beside the store.
const HistoryName = directory.HistoryName
