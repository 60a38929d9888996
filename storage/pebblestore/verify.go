package pebblestore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"beanfield/storage"
	"beanfield/storage/locallog"
	"beanfield/storage/pebblestore/database"
	"beanfield/storage/pebblestore/directory"
	"beanfield/storage/pebblestore/format"
	"beanfield/storage/pebblestore/ondisk"
	"beanfield/storage/turns"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// verify checks, before anything is touched, that everything is there that is known to
// have been on disk. Pebble would take an unreadable end of its newest log, or an
// unreadable part of its manifest, for the result of a crash, and then remove files that
// it takes for garbage.
func (s *store) verify(m format.Manifest) error {
	err := s.dir.VerifyLayout(m)
	if err == nil {
		err = inParallel(m.Shards, func(i int) error { return s.verifyShard(m, i) })
	}
	if err != nil && m.Old() {
		return s.dir.OrOlderBuild(fmt.Errorf("%w\nNothing was changed", err))
	}
	return s.dir.OrSalvage(err, "Nothing was changed. ")
}

// witness gathers what is known of the files of one database.
type witness struct {
	fs    vfs.FS
	dir   string
	names []string

	told     bool // there is a progress file
	progress database.Progress
	manifest *ondisk.Manifest
	step     *storage.Step
}

func (s *store) verifyShard(m format.Manifest, i int) error {
	dir := s.dir.Shard(m.Generation, i)
	step := s.o.Steps.Begin("checking the files of "+s.o.FS.PathBase(dir), "records")
	defer step.End()
	w, err := s.look(dir, step)
	if err != nil {
		return err
	}
	if err := s.checkOptions(w); err != nil {
		return err
	}
	if m.Old() {
		return s.checkOldLogs(w)
	}
	return s.checkTurns(w)
}

// look reads what a shard's files say of each other.
func (s *store) look(dir string, step *storage.Step) (*witness, error) {
	w := &witness{fs: s.o.FS, dir: dir, step: step}
	var err error
	if w.names, err = w.fs.List(dir); err != nil {
		return w, fmt.Errorf("storage: %w", err)
	}
	if w.progress, w.told, err = database.ReadProgress(w.fs, dir); err != nil {
		return w, err
	}
	if err := w.readManifest(); err != nil {
		return w, err
	}
	return w, w.checkTables()
}

// checkTurns reads the log behind the place where the store stands. What the manifest
// has lost is noticed here too: then the store stands where the log has been trimmed.
func (s *store) checkTurns(w *witness) error {
	var place turns.Place
	err := s.readDatabase(w.dir, s.o.FS.PathBase(w.dir), func(db *pebble.DB) (err error) {
		place, err = readPlace(db)
		return err
	})
	if err != nil {
		return err
	}
	_, err = locallog.Read(s.o.FS, directory.Turns(s.o.FS, w.dir), place, func([]byte, turns.At, turns.Place) error {
		w.step.Count()
		return nil
	})
	return err
}

func (w *witness) path(format string, args ...any) string {
	return w.fs.PathJoin(w.dir, fmt.Sprintf(format, args...))
}

// open opens a file that must be there.
func (w *witness) open(path string) (f vfs.File, size int64, err error) {
	f, err = w.fs.Open(path)
	if directory.Missing(err) {
		return nil, 0, directory.Damaged(path, "it is missing")
	}
	if err != nil {
		return nil, 0, fmt.Errorf("storage: %w", err)
	}
	info, err := f.Stat()
	if err != nil {
		return nil, 0, errors.Join(fmt.Errorf("storage: %w", err), f.Close())
	}
	return f, info.Size(), nil
}

// marker finds the value of one of Pebble's markers: the name of an empty file is
// marker.NAME.NUMBER.VALUE, and the highest number counts.
func (w *witness) marker(name string) (value string, err error) {
	newest := uint64(0)
	for _, n := range w.names {
		rest, ok := strings.CutPrefix(n, "marker."+name+".")
		number, v, dotted := strings.Cut(rest, ".")
		if i, err := strconv.ParseUint(number, 10, 64); ok && dotted && err == nil && i >= newest {
			newest, value = i, v
		}
	}
	if value == "" {
		return "", directory.Damaged(w.path("marker.%s.*", name), "it is missing")
	}
	return value, nil
}

// readManifest reads the manifest that the marker names, which was synced before.
// Every edit is synced before the next one is written; the first two, together.
func (w *witness) readManifest() error {
	if _, err := w.marker("format-version"); err != nil {
		return err
	}
	name, err := w.marker("manifest")
	if err != nil {
		return err
	}
	return w.load(name)
}

// load reads a manifest.
func (w *witness) load(name string) error {
	path := w.fs.PathJoin(w.dir, name)
	f, size, err := w.open(path)
	if err != nil {
		return err
	}
	m, shape, err := ondisk.ReadManifest(f, size)
	if err = errors.Join(err, f.Close()); err != nil {
		return directory.Damaged(path, "%v", err)
	}
	w.manifest = m
	number, _ := database.Numbered(name, "MANIFEST-", "")
	if claim := w.progress.Manifest(number); shape.Good < claim {
		return directory.Damaged(path, "it cannot be read from byte %d on, and had %d bytes", shape.Good, claim)
	}
	if shape.Damaged || shape.Good == 0 {
		return directory.Damaged(path, "it cannot be read from byte %d on", shape.Good)
	}
	return nil
}

// checkTables looks for the tables that the manifest names. Others may lie there: a
// crash leaves what was just being written, or was not yet removed.
func (w *witness) checkTables() error {
	for _, t := range w.manifest.Tables {
		if err := w.checkTable(t.Number, int64(t.Size)); err != nil {
			return err
		}
	}
	return nil
}

func (w *witness) checkTable(number uint64, size int64) error {
	path := w.path("%06d.sst", number)
	info, err := w.fs.Stat(path)
	if directory.Missing(err) {
		return directory.Damaged(path, "it is missing")
	}
	if err != nil {
		return fmt.Errorf("storage: %w", err)
	}
	if size >= 0 && info.Size() != size {
		return directory.Damaged(path, "it has %d bytes, and had %d", info.Size(), size)
	}
	return w.checkFrame(path)
}

// checkFrame reads of a table what says where its blocks are, and its range deletes.
// The blocks with the jobs are checked as they are read.
func (w *witness) checkFrame(path string) error {
	f, err := w.fs.Open(path)
	if err != nil {
		return fmt.Errorf("storage: %w", err)
	}
	r, err := database.OpenTable(f, path)
	if err != nil {
		return frameError(path, err)
	}
	_, err = r.Layout()
	if err == nil {
		_, err = r.ReadPropertiesBlock(context.Background(), nil)
	}
	if err == nil {
		it, wrong := r.NewRawRangeDelIter(context.Background(), sstable.NoFragmentTransforms, sstable.NoReadEnv)
		if err = wrong; it != nil {
			it.Close()
		}
	}
	return frameError(path, errors.Join(err, r.Close()))
}

func frameError(path string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("storage: %s: %w", path, database.Explain(err))
}

// checkOptions has Pebble's newest options looked at as Pebble itself will.
func (s *store) checkOptions(w *witness) error {
	newest, path := uint64(0), ""
	for _, n := range w.names {
		if number, ok := database.Numbered(n, "OPTIONS-", ""); ok && number >= newest {
			newest, path = number, w.fs.PathJoin(w.dir, n)
		}
	}
	if path == "" {
		return nil // they are written anew
	}
	f, _, err := w.open(path)
	if err != nil {
		return err
	}
	text, err := io.ReadAll(f)
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("storage: %s: %w", path, err)
	}
	if err := database.CheckOptions(w.dir, string(text), s.o.Logger); err != nil {
		return directory.Damaged(path, "%v", err)
	}
	return nil
}
