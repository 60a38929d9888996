package database

import (
	"fmt"
	"strconv"
	"strings"

	"beanfield/storage/pebblestore/directory"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// strictFS is the file system of one database. It notes how far manifests have been forced
// to the disk, and has tables checked as they are read. The first sync of the directory that
// fails ends the database at once: Pebble would panic while it changes manifests. Files
// outside the database's directory, such as those of a checkpoint, are treated as usual.
type strictFS struct {
	vfs.FS
	dir      string
	fault    *Fault
	progress *ProgressFile // learns what has been synced
}

// Numbered takes the number from the name of a file of Pebble's.
func Numbered(base, prefix, suffix string) (uint64, bool) {
	base, begins := strings.CutPrefix(base, prefix)
	base, ends := strings.CutSuffix(base, suffix)
	n, err := strconv.ParseUint(base, 10, 64)
	return n, begins && ends && err == nil
}

// synced does not return when the directory could not be synced.
func (s *strictFS) synced(err error) {
	if err != nil {
		s.fault.Fail(fmt.Errorf("storage: sync %s: %w", s.dir, err))
		select {}
	}
}

// Create also syncs the directory before a marker is made, so that what the marker names
// is durable before the marker is: Pebble syncs the directory once for both.
func (s *strictFS) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	own, base := s.PathDir(name) == s.dir, s.PathBase(name)
	if own && strings.HasPrefix(base, "marker.") {
		s.synced(directory.SyncDir(s.FS, s.dir))
	}
	f, err := s.FS.Create(name, c)
	if err == nil && strings.HasSuffix(name, ".sst") {
		return NewTableFile(f), nil
	}
	if number, ok := Numbered(base, "MANIFEST-", ""); own && ok && err == nil {
		s.progress.manifestCreated(number)
		return &manifestFile{File: f, progress: s.progress, number: number}, nil
	}
	return f, err
}

// Open also has the blocks of tables checked.
func (s *strictFS) Open(name string, opts ...vfs.OpenOption) (vfs.File, error) {
	f, err := s.FS.Open(name, opts...)
	if err == nil && strings.HasSuffix(name, ".sst") {
		return &checkedTable{File: f, name: name}, nil
	}
	return f, err
}

func (s *strictFS) OpenDir(name string) (vfs.File, error) {
	f, err := s.FS.OpenDir(name)
	if name != s.dir || err != nil {
		return f, err
	}
	return &strictDir{File: f, fs: s}, nil
}

// strictDir is the directory.
type strictDir struct {
	vfs.File
	fs *strictFS
}

func (d *strictDir) Sync() error {
	d.fs.synced(d.File.Sync())
	return nil
}

// manifestFile is a manifest that is being written.
type manifestFile struct {
	vfs.File
	progress *ProgressFile
	number   uint64
	end      int64
}

func (f *manifestFile) Write(p []byte) (int, error) {
	n, err := f.File.Write(p)
	f.end += int64(n)
	return n, err
}

func (f *manifestFile) Sync() error {
	err := f.File.Sync()
	if err == nil {
		f.progress.manifestSynced(f.number, f.end)
	}
	return err
}
