package pebblestore

import (
	"time"

	"beanfield/storage/pace"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// tableFile is a table that is being written, by a flush, a compaction, or for a
// large body. Each works for tens of milliseconds at a stretch, so the writer steps
// back once a millisecond: on one core the longest wait of a client, beside a kick of a
// million jobs, was 75 ms without this and is 11 ms now. Stepping back at every block
// starves flushes until writes have to wait for them.
type tableFile struct {
	vfs.File
	since time.Time // of the last step back
}

const stepBackEvery = time.Millisecond

func (f *tableFile) Write(p []byte) (int, error) {
	if time.Since(f.since) > stepBackEvery {
		pace.StepBack()
		f.since = time.Now()
	}
	return f.File.Write(p)
}
