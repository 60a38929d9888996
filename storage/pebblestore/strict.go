package pebblestore

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// strictFS is the file system of one database. The first write to a log file or to the
// directory that fails ends the database at once. Pebble would panic while it changes
// log files, in a state that nothing recovers from; and a sync that has failed must not
// be tried again, because the kernel may have dropped the pages, and the second try
// would succeed. Files outside the database's directory, such as those of a
// checkpoint, are treated as usual.
type strictFS struct {
	vfs.FS
	dir   string
	fault *fault
	reach *reach // learns what has been synced
	ahead bool   // log files are zeroed ahead
}

// number is that of a file of the database's directory, if its name is one that
// begins and ends so.
func (s *strictFS) number(name, prefix, suffix string) (uint64, bool) {
	if s.PathDir(name) != s.dir {
		return 0, false
	}
	return numbered(s.PathBase(name), prefix, suffix)
}

// numbered takes the number from the name of a file of Pebble's.
func numbered(base, prefix, suffix string) (uint64, bool) {
	base, begins := strings.CutPrefix(base, prefix)
	base, ends := strings.CutSuffix(base, suffix)
	n, err := strconv.ParseUint(base, 10, 64)
	return n, begins && ends && err == nil
}

// check does not return when there is an error.
func (s *strictFS) check(what, name string, err error) {
	if err != nil {
		s.fault.fail(fmt.Errorf("storage: %s %s: %w", what, name, err))
		select {}
	}
}

// Create also syncs the directory before a marker is made, so that what the marker names
// is durable before the marker is: Pebble syncs the directory once for both.
func (s *strictFS) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	if s.PathDir(name) == s.dir && strings.HasPrefix(s.PathBase(name), "marker.") {
		s.check("sync", s.dir, syncDir(s.FS, s.dir))
	}
	f, err := s.FS.Create(name, c)
	if err == nil && strings.HasSuffix(name, ".sst") {
		return &tableFile{File: f}, nil
	}
	if number, ok := s.number(name, "MANIFEST-", ""); ok && err == nil {
		s.reach.manifestCreated(number)
		return &manifestFile{File: f, reach: s.reach, number: number}, nil
	}
	number, ours := s.number(name, "", ".log")
	if !ours {
		return f, err
	}
	s.check("create", name, err)
	if s.ahead {
		f = newAheadFile(f)
	}
	return &strictFile{File: f, fs: s, name: name, number: number}, nil
}

// Open also has the blocks of tables checked.
func (s *strictFS) Open(name string, opts ...vfs.OpenOption) (vfs.File, error) {
	f, err := s.FS.Open(name, opts...)
	if err == nil && strings.HasSuffix(name, ".sst") {
		return &checkedTable{File: f, name: name}, nil
	}
	return f, err
}

func (s *strictFS) ReuseForWrite(old, name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := s.FS.ReuseForWrite(old, name, c)
	if isNotExist(err) {
		return s.Create(name, c) // relief has removed the old one
	}
	number, ours := s.number(name, "", ".log")
	if !ours {
		return f, err
	}
	s.check("reuse for", name, err)
	if s.ahead {
		f = reusedAheadFile(f)
	}
	return &strictFile{File: f, fs: s, name: name, number: number}, nil
}

func (s *strictFS) OpenDir(name string) (vfs.File, error) {
	f, err := s.FS.OpenDir(name)
	if name != s.dir || err != nil {
		return f, err
	}
	return &strictFile{File: f, fs: s, name: name}, nil
}

// strictFile is a log file, or the directory.
type strictFile struct {
	vfs.File
	fs     *strictFS
	name   string
	number uint64 // of a log
	end    int64  // of what has been written
}

func (f *strictFile) Write(p []byte) (int, error) {
	n, err := f.File.Write(p)
	f.fs.check("write", f.name, err)
	f.end += int64(n)
	return n, nil
}

func (f *strictFile) Sync() error {
	f.fs.check("sync", f.name, f.File.Sync())
	f.synced()
	return nil
}

func (f *strictFile) SyncData() error {
	f.fs.check("sync", f.name, f.File.SyncData())
	f.synced()
	return nil
}

// synced comes before anybody is told of the sync: so after the death of the process
// the mark knows of everything that was acknowledged.
func (f *strictFile) synced() {
	if f.end > 0 { // nothing is written to the directory
		f.fs.reach.logSynced(f.number, f.end)
	}
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

// manifestFile is a manifest that is being written.
type manifestFile struct {
	vfs.File
	reach  *reach
	number uint64
	end    int64
}

func (f *manifestFile) Write(p []byte) (int, error) {
	n, err := f.File.Write(p)
	f.end += int64(n)
	return n, err
}

func (f *manifestFile) Sync() error {
	err := f.File.Sync()
	if err == nil {
		f.reach.manifestSynced(f.number, f.end)
	}
	return err
}
