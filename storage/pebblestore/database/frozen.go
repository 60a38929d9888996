package database

import (
	"errors"
	"io"
	"io/fs"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// errFrozen is that of a change to a file system that is only read.
var errFrozen = errors.New("storage: this directory is only read")

// Frozen refuses every change. Pebble makes a lock file even if it opens a database for
// reading only.
type Frozen struct{ vfs.FS }

func (Frozen) Create(string, vfs.DiskWriteCategory) (vfs.File, error) { return nil, errFrozen }
func (Frozen) Link(string, string) error                              { return errFrozen }
func (Frozen) Remove(string) error                                    { return errFrozen }
func (Frozen) RemoveAll(string) error                                 { return errFrozen }
func (Frozen) Rename(string, string) error                            { return errFrozen }
func (Frozen) MkdirAll(string, fs.FileMode) error                     { return errFrozen }

func (Frozen) OpenReadWrite(string, vfs.DiskWriteCategory, ...vfs.OpenOption) (vfs.File, error) {
	return nil, errFrozen
}

func (Frozen) ReuseForWrite(string, string, vfs.DiskWriteCategory) (vfs.File, error) {
	return nil, errFrozen
}

// Lock does without one: the caller of Read sees to it that nobody writes.
func (Frozen) Lock(string) (io.Closer, error) { return io.NopCloser(nil), nil }
