package pebblestore

import (
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"beanfield/storage"
	"beanfield/storage/must"
	"beanfield/storage/pebblestore/directory"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// On a disk without room for another slot, or for a table of a share, nothing is lost and
// nothing ends: turns wait, and go on when there is room.
func TestLogOnAFullDisk(t *testing.T) {
	for _, what := range []string{".turns", foldPrefix} {
		var full atomic.Bool
		met := make(chan struct{}, 1000)
		fs := errorfs.Wrap(vfs.NewMem(), errorfs.InjectorFunc(func(op errorfs.Op) error {
			makes := op.Kind == errorfs.OpCreate || op.Kind == errorfs.OpOpen
			if !full.Load() || !makes || !strings.Contains(op.Path, what) {
				return nil
			}
			met <- struct{}{}
			return syscall.ENOSPC
		}))
		s, l := openOne(t, fs)
		putMany(t, l, 1, 100, asIs, 1000)
		full.Store(true)
		written := make(chan struct{})
		go func() {
			defer close(written)
			putMany(t, l, 101, 3000, asIs, 1000) // three times as much as the log has room for
		}()
		<-met
		<-met
		full.Store(false)
		<-written
		if err := l.Stats().Err; err != nil {
			t.Errorf("%s: %v", what, err)
		}
		must.Do(t, s.Close())
		hasJobs(t, fs, 3000)
	}
}

// What the fold writes is what frees space in the end: when something else has filled the
// disk, it is repeated without the ballast.
func TestFoldTakesTheBallast(t *testing.T) {
	mem := vfs.NewMem()
	mem.TestingSetDiskUsage(vfs.DiskUsage{AvailBytes: 100 * mib, TotalBytes: 1 << 40, UsedBytes: 1 << 40})
	var full atomic.Bool
	fs := errorfs.Wrap(mem, errorfs.InjectorFunc(func(op errorfs.Op) error {
		switch {
		case op.Kind == errorfs.OpRemove && op.Path == "data/ballast":
			full.Store(false)
		case op.Kind == errorfs.OpCreate && strings.Contains(op.Path, foldPrefix) && full.Load():
			return syscall.ENOSPC
		}
		return nil
	}))
	o := small(fs, storage.Always)
	o.MinFree, o.Ballast = mib, mib
	s := noTicks(o)
	l := mustOpen(t, s, 1)[0].(*shardLog)
	putMany(t, l, 1, 100, asIs, 1000)
	deleteMany(t, l, 1, 99, 1000, false)
	full.Store(true)
	must.Do(t, l.foldAll())
	if _, err := mem.Stat("data/ballast"); !directory.Missing(err) {
		t.Errorf("the ballast is still there: %v", err)
	}
	must.Do(t, s.Close())
}
