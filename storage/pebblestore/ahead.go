package pebblestore

import (
	"math"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// aheadFile is a log file that is filled with zeros some way ahead of its
// content. A sync of content in a place that was never written before must also
// write the file's inode: its size, or which of its blocks are in use. On ext4
// that is a quarter or more of the time of a small sync. Pebble keeps old log files
// for reuse, so this is needed only until there are some. Pebble expects zeros after
// the last record, as with its own preallocation, which claims the blocks but leaves
// them unwritten.
type aheadFile struct {
	vfs.File
	pos int64 // of the content's end
	end int64 // of what has been written
}

// zeros is how far ahead of its content a file is filled.
var zeros = make([]byte, 32<<10)

func newAheadFile(f vfs.File) *aheadFile { return &aheadFile{File: f} }

// reusedAheadFile is for a file that has its old content.
func reusedAheadFile(f vfs.File) *aheadFile {
	a := newAheadFile(f)
	if info, err := f.Stat(); err == nil {
		a.end = info.Size()
	}
	return a
}

func (f *aheadFile) Write(p []byte) (int, error) {
	for f.pos+int64(len(p)) > f.end {
		n, err := f.File.WriteAt(zeros, f.end)
		if f.end += int64(n); err != nil {
			f.end = math.MaxInt64 // it is an advantage only; and if the disk is full, the content will tell
		}
	}
	n, err := f.File.Write(p)
	f.pos += int64(n)
	return n, err
}
