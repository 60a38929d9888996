package directory

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"beanfield/storage/pebblestore/format"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// A data directory holds
//
//	LOCK            held while a process uses the directory
//	beanfield.json  the manifest: which generation counts, and its shards
//	ballast         space to give up when the disk is full
//	history         what the console's charts begin with; the server's, not the store's
//	cluster/        what a node of a cluster keeps besides; the cluster's, not the store's
//	gen-000001/     a generation: one set of shards
//	    shard-000/  a Pebble database
//
// Only the generation that the manifest names counts. Any other is left from a
// change of the number of shards that was cut short, before or after the
// manifest switched, and is removed at the next start.
const (
	LockName    = "LOCK"
	BallastName = "ballast"
	// HistoryName is a file that a server may keep beside the store, and whose temporary
	// form ends with ".tmp". The store never reads it and no copy has it. It is known here
	// so that a directory does not look like somebody else's for it.
	HistoryName      = "history"
	HistoryTemp      = HistoryName + ".tmp"
	ClusterName      = "cluster" // likewise
	GenerationPrefix = "gen-"
	ShardPrefix      = "shard-"
	// Category tells Pebble's file system whose writes these are.
	Category = vfs.WriteCategoryUnspecified
)

// Dir is a data directory of beanfield.
type Dir struct {
	FS   vfs.FS
	Path string
	// Cluster is that of which the directory is a copy, as its manifest says; "": of none.
	Cluster string
	lock    io.Closer
}

func (d *Dir) Join(elem ...string) string {
	return d.FS.PathJoin(append([]string{d.Path}, elem...)...)
}

func (d *Dir) Generation(g int) string {
	return d.Join(fmt.Sprintf("%s%06d", GenerationPrefix, g))
}

func (d *Dir) Shard(g, i int) string {
	return d.FS.PathJoin(d.Generation(g), fmt.Sprintf("%s%03d", ShardPrefix, i))
}

// inspect looks at the directory without touching it: it reports whether there
// is a manifest, and refuses a directory that holds other data.
func (d *Dir) inspect() (written bool, err error) {
	names, err := d.FS.List(d.Path)
	if Missing(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("storage: data directory %s: %w", d.Path, err)
	}
	if slices.Contains(names, ManifestName) {
		return true, nil
	}
	var foreign, generations []string
	for _, name := range names {
		switch {
		case isBinlog(name):
			return false, Error(d.Path, ErrForeign, "%s is a binlog of beanstalkd: "+
				"import it into another directory with beanfield import", name)
		case strings.HasPrefix(name, GenerationPrefix):
			generations = append(generations, name)
		case name == LockName || name == BallastName || name == manifestTemp || name == "lost+found" ||
			name == HistoryName || name == HistoryTemp || name == ClusterName:
			// Left from a start that was cut short, or a fresh file system, or of no weight.
		default:
			foreign = append(foreign, name)
		}
	}
	if len(foreign) > 0 {
		return false, Error(d.Path, ErrForeign, "it holds %s; give an empty directory", someOf(foreign))
	}
	if len(generations) > 0 {
		return false, Damaged(d.Join(ManifestName), "it is missing, and there is %s", someOf(generations))
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

// Acquire makes the directory if need be and locks it.
func (d *Dir) Acquire() error {
	if err := MakeDir(d.FS, d.Path); err != nil {
		return fmt.Errorf("storage: data directory %s: %w", d.Path, err)
	}
	lock, err := d.FS.Lock(d.Join(LockName))
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return Error(d.Path, ErrInUse, "it has %s locked", LockName)
	}
	if err != nil {
		return fmt.Errorf("storage: data directory %s: cannot lock %s: %w", d.Path, LockName, err)
	}
	d.lock = lock
	return nil
}

func (d *Dir) Release() error {
	if d.lock == nil {
		return nil
	}
	err := d.lock.Close()
	d.lock = nil
	return err
}

// Sweep removes every generation but the one that counts, and a manifest that
// was not finished.
func (d *Dir) Sweep(keep int) error {
	names, err := d.FS.List(d.Path)
	if err != nil {
		return fmt.Errorf("storage: %w", err)
	}
	for _, name := range names {
		path := d.Join(name)
		left := name == manifestTemp || strings.HasPrefix(name, GenerationPrefix)
		if !left || path == d.Generation(keep) {
			continue
		}
		if err := d.FS.RemoveAll(path); err != nil {
			return fmt.Errorf("storage: remove %s: %w", path, err)
		}
	}
	return SyncDir(d.FS, d.Path)
}

// MakeGeneration makes the directories of a generation, and syncs their entries.
func (d *Dir) MakeGeneration(g, shards int) error {
	for i := range shards {
		if err := d.FS.MkdirAll(d.Shard(g, i), 0o700); err != nil {
			return fmt.Errorf("storage: %w", err)
		}
	}
	return errors.Join(SyncDir(d.FS, d.Generation(g)), SyncDir(d.FS, d.Path))
}

// VerifyLayout compares the shards on disk with those that the manifest names: with a
// wrong number there, the other shards would be removed.
func (d *Dir) VerifyLayout(m format.Manifest) error {
	generation := d.Generation(m.Generation)
	names, err := d.FS.List(generation)
	if err != nil && !Missing(err) {
		return fmt.Errorf("storage: %w", err)
	}
	for i := range m.Shards {
		path := d.Shard(m.Generation, i)
		if !slices.Contains(names, d.FS.PathBase(path)) {
			return Damaged(path, "it is missing: %s tells of %d shards", d.Join(ManifestName), m.Shards)
		}
	}
	// Other files may lie there: a tool for copies or a file manager leaves its own.
	if more := d.Shard(m.Generation, m.Shards); slices.Contains(names, d.FS.PathBase(more)) {
		return Damaged(d.Join(ManifestName), "it tells of %d shards, and there is %s", m.Shards, more)
	}
	return nil
}
