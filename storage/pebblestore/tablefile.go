package pebblestore

import (
	"time"

	"beanfield/storage/pace"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// tableFile is a table that is being written, by a flush, a compaction, or for a
// large body. Each works for tens of milliseconds at a stretch, so the writer steps
// back once a millisecond. Measured on one core: the longest wait beside a kick of a
// million jobs, synced, 75 ms without this, 16 to 23 ms when only goroutines came to
// their turn, 9 to 11 ms with threads as well; a flood of puts, synced by a timer,
// p99 28 ms and 7 ms. To step back at every block starved flushes until writes had to
// wait for them: p99.9 of that flood 280 ms, 25 ms so, 35 ms without.
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
