package pebblestore

import (
	"fmt"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// strictFS is the file system of one database. A log file or a directory that
// cannot be written ends the database there and then: Pebble would panic while
// it changes log files, in a state that nothing recovers from, and a sync that
// has failed must not be tried again, because the kernel may have dropped the
// pages and the second try would succeed. Files outside the database's directory,
// as those of a checkpoint, are not meant.
type strictFS struct {
	vfs.FS
	dir   string
	fault *fault
	ahead bool // log files are zeroed ahead
}

func (s *strictFS) ours(name string) bool {
	return s.PathDir(name) == s.dir && strings.HasSuffix(name, ".log")
}

// check does not return when there is an error.
func (s *strictFS) check(what, name string, err error) {
	if err != nil {
		s.fault.fail(fmt.Errorf("storage: %s %s: %w", what, name, err))
		select {}
	}
}

// Create also makes sure that what a marker names lasts before the marker does:
// Pebble syncs the directory once for both.
func (s *strictFS) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	if s.PathDir(name) == s.dir && strings.HasPrefix(s.PathBase(name), "marker.") {
		s.check("sync", s.dir, syncDir(s.FS, s.dir))
	}
	f, err := s.FS.Create(name, c)
	if err == nil && strings.HasSuffix(name, ".sst") {
		return &tableFile{File: f}, nil
	}
	if !s.ours(name) {
		return f, err
	}
	s.check("create", name, err)
	if s.ahead {
		f = newAheadFile(f)
	}
	return &strictFile{f, s, name}, nil
}

func (s *strictFS) ReuseForWrite(old, name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := s.FS.ReuseForWrite(old, name, c)
	if !s.ours(name) {
		return f, err
	}
	s.check("reuse for", name, err)
	if s.ahead {
		f = reusedAheadFile(f)
	}
	return &strictFile{f, s, name}, nil
}

func (s *strictFS) OpenDir(name string) (vfs.File, error) {
	f, err := s.FS.OpenDir(name)
	if name != s.dir || err != nil {
		return f, err
	}
	return &strictFile{f, s, name}, nil
}

// strictFile is a log file, or the directory.
type strictFile struct {
	vfs.File
	fs   *strictFS
	name string
}

func (f *strictFile) Write(p []byte) (int, error) {
	n, err := f.File.Write(p)
	f.fs.check("write", f.name, err)
	return n, nil
}

func (f *strictFile) Sync() error {
	f.fs.check("sync", f.name, f.File.Sync())
	return nil
}

func (f *strictFile) SyncData() error {
	f.fs.check("sync", f.name, f.File.SyncData())
	return nil
}

func (f *strictFile) SyncTo(length int64) (bool, error) {
	full, err := f.File.SyncTo(length)
	f.fs.check("sync", f.name, err)
	return full, nil
}

func (f *strictFile) Close() error {
	f.fs.check("close", f.name, f.File.Close())
	return nil
}
