package repair

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"beanfield/storage/pebblestore/database"
	"beanfield/storage/pebblestore/directory"
	"beanfield/storage/pebblestore/format"

	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// Witness gathers what is known of the files of one database.
type Witness struct {
	FS    vfs.FS
	Dir   string
	Names []string

	told     bool // there is a progress file
	Progress database.Progress
	Manifest *Manifest
}

// Check reads what the files of a database say of each other, and refuses what does not fit.
func Check(fs vfs.FS, dir string) (*Witness, error) {
	w := &Witness{FS: fs, Dir: dir}
	var err error
	if w.Names, err = w.FS.List(dir); err != nil {
		return w, fmt.Errorf("storage: %w", err)
	}
	if w.Progress, w.told, err = database.ReadProgress(w.FS, dir); err != nil {
		return w, err
	}
	if err := w.readManifest(); err != nil {
		return w, err
	}
	return w, w.checkTables()
}

func (w *Witness) Path(format string, args ...any) string {
	return w.FS.PathJoin(w.Dir, fmt.Sprintf(format, args...))
}

// Open opens a file that must be there.
func (w *Witness) Open(path string) (f vfs.File, size int64, err error) {
	f, err = w.FS.Open(path)
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

// Marker finds the value of one of Pebble's markers: the name of an empty file is
// marker.NAME.NUMBER.VALUE, and the highest number counts.
func (w *Witness) Marker(name string) (value string, err error) {
	newest := uint64(0)
	for _, n := range w.Names {
		rest, ok := strings.CutPrefix(n, "marker."+name+".")
		number, v, dotted := strings.Cut(rest, ".")
		if i, err := strconv.ParseUint(number, 10, 64); ok && dotted && err == nil && i >= newest {
			newest, value = i, v
		}
	}
	if value == "" {
		return "", directory.Damaged(w.Path("marker.%s.*", name), "it is missing")
	}
	return value, nil
}

// readManifest reads the manifest that the marker names, which was synced before.
// Every edit is synced before the next one is written; the first two, together.
func (w *Witness) readManifest() error {
	version, err := w.Marker("format-version")
	if err != nil {
		return err
	}
	if !database.KnownFormat(version) {
		return fmt.Errorf("storage: %s: %w: a newer build of beanfield has written it",
			w.Path("marker.format-version.*.%s", version), format.ErrVersion)
	}
	name, err := w.Marker("manifest")
	if err != nil {
		return err
	}
	return w.load(name)
}

// load reads a manifest.
func (w *Witness) load(name string) error {
	path := w.FS.PathJoin(w.Dir, name)
	f, size, err := w.Open(path)
	if err != nil {
		return err
	}
	m, shape, err := ReadManifest(f, size)
	if err = errors.Join(err, f.Close()); err != nil {
		if database.FailedToRead(err) {
			return fmt.Errorf("storage: %w", err)
		}
		return directory.Damaged(path, "%v", err)
	}
	w.Manifest = m
	number, _ := database.Numbered(name, "MANIFEST-", "")
	if claim := w.Progress.Manifest(number); shape.Good < claim {
		return directory.Damaged(path, "it cannot be read from byte %d on, and had %d bytes", shape.Good, claim)
	}
	if shape.Damaged || shape.Good == 0 {
		return directory.Damaged(path, "it cannot be read from byte %d on", shape.Good)
	}
	return nil
}

// checkTables looks for the tables that the manifest names. Others may lie there: a
// crash leaves what was just being written, or was not yet removed.
func (w *Witness) checkTables() error {
	for _, t := range w.Manifest.Tables {
		path := w.FS.PathJoin(w.Dir, TableName(t.Number))
		info, err := w.FS.Stat(path)
		if directory.Missing(err) {
			return directory.Damaged(path, "it is missing")
		}
		if err != nil {
			return fmt.Errorf("storage: %w", err)
		}
		if size := int64(t.Size); info.Size() != size {
			return directory.Damaged(path, "it has %d bytes, and had %d", info.Size(), size)
		}
		if err := w.checkFrame(path); err != nil {
			return err
		}
	}
	return nil
}

// checkFrame reads of a table what says where its blocks are, and its range deletes.
// The blocks with the jobs are checked as they are read.
func (w *Witness) checkFrame(path string) error {
	f, err := w.FS.Open(path)
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
