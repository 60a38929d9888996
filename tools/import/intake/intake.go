package intake

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"

	"beanfield/router"
	"beanfield/storage"
)

const (
	workName = "importing"
	// manifestName is the file that makes a directory a data directory: see
	// package storage.
	manifestName = "beanfield.json"
	lockName     = "LOCK"
	// turnBytes is how much is put in a shard before it is forced to the disk.
	turnBytes = 4 << 20
)

// Intake is a data directory that is being filled. It is for one goroutine.
type Intake struct {
	dir, work string
	made      bool // dir did not exist
	store     storage.Store
	logs      []storage.Log
	pending   []int // bytes put since the last commit of each log
	highest   uint64
	moved     []string // what is already in its place
}

// Check says why dir cannot become a data directory, if so. It touches nothing.
func Check(dir string, shards int) error {
	if shards < 1 || shards > router.MaxShards {
		return fmt.Errorf("%d shards: must be from 1 to %d", shards, router.MaxShards)
	}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	has := func(name string) bool {
		return slices.ContainsFunc(entries, func(e os.DirEntry) bool { return e.Name() == name })
	}
	entries = slices.DeleteFunc(entries, func(e os.DirEntry) bool { return e.Name() == "lost+found" })
	switch {
	case has(manifestName):
		return fmt.Errorf("%s is a data directory already; give a new one", dir)
	case has(workName):
		return fmt.Errorf("%s holds %q, left from an import that was cut short or still at work; "+
			"when none is, empty the directory and start again", dir, workName)
	case len(entries) > 0:
		return fmt.Errorf("%s holds %s; give a new or an empty directory", dir, entries[0].Name())
	}
	return nil
}

// New begins to fill dir, which must be empty or not exist.
func New(dir string, shards int, logger *slog.Logger) (*Intake, error) {
	return begin(dir, shards, func(work string) storage.Store {
		return storage.Pebble(storage.PebbleOptions{Dir: work, Ballast: -1, Logger: logger})
	})
}

func begin(dir string, shards int, open func(work string) storage.Store) (*Intake, error) {
	if err := Check(dir, shards); err != nil {
		return nil, err
	}
	_, err := os.Stat(dir)
	in := &Intake{
		dir: dir, work: filepath.Join(dir, workName), made: errors.Is(err, os.ErrNotExist),
		pending: make([]int, shards),
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if err := os.Mkdir(in.work, 0o700); err != nil {
		return nil, err // another intake was faster
	}
	in.store = open(in.work)
	in.logs, err = in.store.Open(shards, func(tube string) int { return router.ShardOf(tube, shards) })
	if err != nil {
		in.store = nil
		return nil, errors.Join(err, in.Abort())
	}
	return in, nil
}

// Put adds a job. Neither it nor body is kept.
func (in *Intake) Put(j *storage.Job, body []byte) error {
	n := len(body) + len(j.Tube)
	i := router.ShardOf(j.Tube, len(in.logs))
	if !in.logs[i].Room(n) {
		return fmt.Errorf("%s: %w", in.dir, storage.ErrNoSpace)
	}
	in.logs[i].Put(j, body)
	in.highest = max(in.highest, j.ID)
	if in.pending[i] += n; in.pending[i] < turnBytes {
		return nil
	}
	return in.commit(i)
}

// acked is an Ack that can be waited for.
type acked chan error

func (a acked) Committed(err error) { a <- err }

func (in *Intake) commit(i int) error {
	in.pending[i] = 0
	done := make(acked, 1)
	if in.logs[i].Commit(done) {
		return nil
	}
	return <-done
}

// Finish makes the directory a data directory, in which ids go on after last
// or after the highest job's. When it fails, nothing is left, unless the failure
// was in clearing up after the last step that counts.
func (in *Intake) Finish(last uint64) error {
	for _, step := range in.steps(last) {
		if err := step(); err != nil {
			return errors.Join(err, in.Abort())
		}
	}
	return nil
}

// steps are those of Finish. A death between any two leaves a directory that is
// refused, up to the one that moves the manifest, and then a complete one.
func (in *Intake) steps(last uint64) []func() error {
	return []func() error{
		func() error { return in.remember(last) },
		in.commitAll,
		in.closeStore,
		in.moveData,
		in.moveManifest,
		func() error { return errors.Join(os.RemoveAll(in.work), syncDir(in.dir)) },
	}
}

// remember makes the log know an id that no job has any more: a log notes the
// highest id that was put, also if the job ends in the same turn.
func (in *Intake) remember(last uint64) error {
	if last <= in.highest {
		return nil
	}
	j := storage.Job{ID: last, Tube: router.DefaultTube, State: storage.Ready, TTR: 1}
	log := in.logs[router.ShardOf(j.Tube, len(in.logs))]
	log.Put(&j)
	log.Delete(&j)
	return nil
}

func (in *Intake) commitAll() error {
	for i := range in.logs {
		if err := in.commit(i); err != nil {
			return err
		}
	}
	return nil
}

func (in *Intake) closeStore() error {
	store := in.store
	in.store = nil
	return store.Close()
}

// moveData moves all but the manifest.
func (in *Intake) moveData() error {
	entries, err := os.ReadDir(in.work)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() == manifestName || e.Name() == lockName {
			continue
		}
		if err := os.Rename(filepath.Join(in.work, e.Name()), filepath.Join(in.dir, e.Name())); err != nil {
			return err
		}
		in.moved = append(in.moved, e.Name())
	}
	return syncDir(in.dir)
}

func (in *Intake) moveManifest() error {
	err := os.Rename(filepath.Join(in.work, manifestName), filepath.Join(in.dir, manifestName))
	if err != nil {
		return err
	}
	return errors.Join(syncDir(in.dir), syncDir(filepath.Dir(in.dir)))
}

// Abort removes everything that was written. After Finish it has no effect.
func (in *Intake) Abort() error {
	if in.store != nil {
		// What it says does not matter any more.
		_ = in.closeStore()
	}
	if _, err := os.Stat(filepath.Join(in.dir, manifestName)); err == nil {
		return nil
	}
	var err error
	for _, name := range append(in.moved, workName) {
		err = errors.Join(err, os.RemoveAll(filepath.Join(in.dir, name)))
	}
	if in.made {
		err = errors.Join(err, os.Remove(in.dir))
	}
	return err
}

func syncDir(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
