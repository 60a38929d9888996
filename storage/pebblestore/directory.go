package pebblestore

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// A data directory holds
//
//	LOCK            held while a process uses the directory
//	beanfield.json  the manifest: which generation counts, and its shards
//	ballast         space to give up when the disk is full
//	history         what the console's charts begin with; the server's, not the store's
//	gen-000001/     a generation: one set of shards
//	    shard-000/  a Pebble database
//
// Only the generation that the manifest names counts. Any other is left from a
// change of the number of shards that was cut short, before or after the
// manifest switched, and is removed at the next start.
const (
	lockName    = "LOCK"
	ballastName = "ballast"
	// HistoryName is a file that a server may keep beside the store, and whose temporary
	// form ends with ".tmp". The store never reads it and no copy has it. It is known here
	// so that a directory does not look like somebody else's for it.
	HistoryName = "history"
	historyTemp = HistoryName + ".tmp"
	genPrefix   = "gen-"
	shardPrefix = "shard-"
	// category tells Pebble's file system whose writes these are.
	category = vfs.WriteCategoryUnspecified
)

// directory is a data directory of beanfield.
type directory struct {
	fs   vfs.FS
	path string
	lock io.Closer
}

func (d *directory) join(elem ...string) string {
	return d.fs.PathJoin(append([]string{d.path}, elem...)...)
}

func (d *directory) generation(g int) string {
	return d.join(fmt.Sprintf("%s%06d", genPrefix, g))
}

func (d *directory) shard(g, i int) string {
	return d.fs.PathJoin(d.generation(g), fmt.Sprintf("%s%03d", shardPrefix, i))
}

// inspect looks at the directory without touching it: it reports whether there
// is a manifest, and refuses a directory that holds other data.
func (d *directory) inspect() (written bool, err error) {
	names, err := d.fs.List(d.path)
	if isNotExist(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("storage: data directory %s: %w", d.path, err)
	}
	if slices.Contains(names, manifestName) {
		return true, nil
	}
	var foreign, generations []string
	for _, name := range names {
		switch {
		case isBinlog(name):
			return false, dirError(d.path, ErrForeign, "%s is a binlog of beanstalkd: "+
				"import it into another directory with beanfield import", name)
		case strings.HasPrefix(name, genPrefix):
			generations = append(generations, name)
		case name == lockName || name == ballastName || name == manifestTemp || name == "lost+found" || name == HistoryName || name == historyTemp:
			// Left from a start that was cut short, or a fresh file system, or of no weight.
		default:
			foreign = append(foreign, name)
		}
	}
	if len(foreign) > 0 {
		return false, dirError(d.path, ErrForeign, "it holds %s; give an empty directory", someOf(foreign))
	}
	if len(generations) > 0 {
		return false, damaged(d.join(manifestName), "it is missing, and there is %s", someOf(generations))
	}
	return false, nil
}

func someOf(names []string) string {
	slices.Sort(names)
	if len(names) > 3 {
		return strings.Join(names[:3], ", ") + fmt.Sprintf(" and %d more", len(names)-3)
	}
	return strings.Join(names, ", ")
}

// isBinlog recognises the names of beanstalkd's files as beanstalkd does.
func isBinlog(name string) bool {
	digits, ok := strings.CutPrefix(name, "binlog.")
	if !ok {
		return false
	}
	_, err := strconv.ParseUint(digits, 10, 32)
	return err == nil
}

// acquire makes the directory if need be and locks it.
func (d *directory) acquire() error {
	if err := makeDir(d.fs, d.path); err != nil {
		return fmt.Errorf("storage: data directory %s: %w", d.path, err)
	}
	lock, err := d.fs.Lock(d.join(lockName))
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return dirError(d.path, ErrInUse, "it has %s locked", lockName)
	}
	if err != nil {
		return fmt.Errorf("storage: data directory %s: cannot lock %s: %w", d.path, lockName, err)
	}
	d.lock = lock
	return nil
}

func (d *directory) release() error {
	if d.lock == nil {
		return nil
	}
	err := d.lock.Close()
	d.lock = nil
	return err
}

// sweep removes every generation but the one that counts, and a manifest that
// was not finished.
func (d *directory) sweep(keep int) error {
	names, err := d.fs.List(d.path)
	if err != nil {
		return fmt.Errorf("storage: %w", err)
	}
	for _, name := range names {
		path := d.join(name)
		left := name == manifestTemp || strings.HasPrefix(name, genPrefix)
		if !left || path == d.generation(keep) {
			continue
		}
		if err := d.fs.RemoveAll(path); err != nil {
			return fmt.Errorf("storage: remove %s: %w", path, err)
		}
	}
	return syncDir(d.fs, d.path)
}

// makeDir makes a directory and the missing ones above it, and syncs their entries.
func makeDir(fs vfs.FS, path string) error {
	if _, err := fs.Stat(path); err == nil {
		return nil
	}
	above := fs.PathDir(path)
	if above != path && above != "." {
		if err := makeDir(fs, above); err != nil {
			return err
		}
	}
	if err := fs.MkdirAll(path, 0o700); err != nil {
		return err
	}
	return syncDir(fs, above)
}

func syncDir(fs vfs.FS, path string) error {
	f, err := fs.OpenDir(path)
	if err != nil {
		return fmt.Errorf("storage: %w", err)
	}
	if err := f.Sync(); err != nil {
		return fmt.Errorf("storage: sync %s: %w", path, errors.Join(err, f.Close()))
	}
	return f.Close()
}

// makeGeneration makes the directories of a generation, and syncs their entries.
func (d *directory) makeGeneration(g, shards int) error {
	for i := range shards {
		if err := d.fs.MkdirAll(d.shard(g, i), 0o700); err != nil {
			return fmt.Errorf("storage: %w", err)
		}
	}
	return errors.Join(syncDir(d.fs, d.generation(g)), syncDir(d.fs, d.path))
}
