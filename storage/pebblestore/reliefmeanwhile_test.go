package pebblestore

import (
	"strings"
	"testing"

	"beanfield/storage"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// What dies while space is given back is given back the next time, although nothing dies after it.
func TestReliefForgetsNothing(t *testing.T) {
	mem := vfs.NewMem()
	var meanwhile func()
	fs := errorfs.Wrap(mem, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind == errorfs.OpCreate && strings.Contains(op.Path, foldPrefix) && meanwhile != nil {
			do := meanwhile
			meanwhile = nil
			do()
		}
		return nil
	}))
	o := small(fs, storage.Always)
	o.MinFree = 90 * mib
	s := noTicks(o)
	defer s.Close()
	l := mustOpen(t, s, 1)[0].(*shardLog)
	mem.TestingSetDiskUsage(vfs.DiskUsage{AvailBytes: 80 * mib, TotalBytes: 1 << 40})
	s.space.look()
	again := func(what string) {
		t.Helper()
		before := folds(l)
		s.relieve()
		if n := folds(l); n != before+1 {
			t.Errorf("after %s: %d folds, want 1", what, n-before)
		}
		s.relieve()
		if n := folds(l); n != before+1 {
			t.Errorf("after %s: %d folds more, and nothing had died", what, n-before-1)
		}
	}
	putMany(t, l, 1, 30, asIs, 1000)
	deleteMany(t, l, 1, 10, 1000, false)
	meanwhile = func() { deleteMany(t, l, 11, 20, 1000, false) }
	s.relieve()
	again("a fold")
}
