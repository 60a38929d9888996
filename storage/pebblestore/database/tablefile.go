package database

import (
	"beanfield/storage/pace"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// tableFile is a table that is being written, by a flush, a compaction, or for a
// large body. Each works for tens of milliseconds at a stretch, so the writer yields
// once a millisecond: without this, on one core, clients waited up to 75 ms beside a
// kick of a million jobs. Yielding at every block would starve flushes until writes
// have to wait for them.
type tableFile struct {
	vfs.File
	work pace.Stretch
}

func NewTableFile(f vfs.File) *tableFile { return &tableFile{File: f, work: pace.Begin()} }

func (f *tableFile) Write(p []byte) (int, error) {
	f.work.Step()
	return f.File.Write(p)
}
