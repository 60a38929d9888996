package pebblestore

import (
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"beanfield/storage"
	"beanfield/storage/must"
	"beanfield/storage/storagetest"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// setFree says how much of a large disk is free.
func setFree(fs *vfs.MemFS, n uint64) {
	fs.TestingSetDiskUsage(vfs.DiskUsage{AvailBytes: n, TotalBytes: 1 << 40, UsedBytes: 1 << 40})
}

// roomy is a store on a disk on which so many bytes are left for puts. Nothing measures the disk
// meanwhile.
func roomy(t *testing.T, fs *vfs.MemFS, on vfs.FS, left uint64) *shardLog {
	t.Helper()
	setFree(fs, left+10*mib)
	o := small(on, storage.Always)
	o.MinFree = 10 * mib
	s := noTicks(o)
	l := mustOpen(t, s, 1)[0].(*shardLog)
	t.Cleanup(func() {
		must.Do(t, s.Close())
	})
	s.space.look()
	return l
}

// What is refused takes no space from others.
func TestRefusedTakesNothing(t *testing.T) {
	mem := vfs.NewMem()
	l := roomy(t, mem, mem, 100*mib)
	left := l.store.space.left.Load()
	for range 3 {
		if l.Room(300 * mib) {
			t.Fatal("300 MiB are accepted on a disk with 100")
		}
		if !l.Room(0) {
			t.Fatal("a small job is refused after a large one")
		}
	}
	if got := left - l.store.space.left.Load(); got != 3*updateSize {
		t.Errorf("three empty jobs have taken %d bytes", got)
	}
	// At the edge, too: what does not fit in full is refused, and less still fits.
	l.store.space.left.Store(10*amplification + updateSize + 1)
	if l.Room(11) || !l.Room(10) || l.Room(0) || l.store.space.left.Load() != 1 {
		t.Error("the edge is elsewhere")
	}
	l.store.space.updates.Store(updateSize)
	before := l.store.space.left.Load()
	for range 3 {
		if l.RoomToUpdate() {
			t.Error("an update is accepted that leaves nothing")
		}
	}
	if l.store.space.left.Load() != before || l.store.space.updates.Load() != updateSize {
		t.Errorf("updates that are refused have taken %d bytes", before-l.store.space.left.Load())
	}
}

// A large body that cannot be written gives back what was taken for it.
func TestRefusedBodyGivesBack(t *testing.T) {
	mem := vfs.NewMem()
	var broken atomic.Bool
	fs := faulty(mem, func(op errorfs.Op) error {
		if broken.Load() && op.Kind == errorfs.OpFileWrite && strings.Contains(op.Path, stagedPrefix) {
			return syscall.ENOSPC
		}
		return nil
	})
	l := roomy(t, mem, fs, 100*mib)
	left := l.store.space.left.Load()
	broken.Store(true)
	const size = 20 * mib
	if !l.Room(size) {
		t.Fatal("there is room")
	}
	if err := stageBody(l, 1, make([]byte, size)); err == nil {
		t.Fatal("the body was written")
	}
	if got := l.store.space.left.Load(); got != left {
		t.Errorf("%d bytes are left, were %d", got, left)
	}
}

// All that is kept of a staged body in memory goes when its job is put, or put and deleted at once
// because it was refused after all.
func TestChecksumsOfBodiesGo(t *testing.T) {
	mem := vfs.NewMem()
	l := roomy(t, mem, mem, 1000*mib)
	for id := uint64(1); id <= 6; id++ {
		j := storagetest.Stored{Job: storage.Job{ID: id, Tube: "t", State: storage.Ready}}
		j.Fill(2 * storage.LargeBody)
		if !put(l, &j) {
			t.Fatal("no room")
		}
		if id%2 == 0 {
			l.Delete(&j.Job)
		}
		mustCommit(t, l)
	}
	if n := len(l.sums.byID); n > 0 {
		t.Errorf("%d checksums are kept", n)
	}
	if got := l.store.space.promised.Load(); got != 0 {
		t.Errorf("%d bytes are still promised", got)
	}
}

// Several shards ask at the same time: what one of them is refused takes nothing from the
// others, not even for a moment.
func TestRefusedMeanwhile(t *testing.T) {
	const times = 200_000
	var left atomic.Int64
	left.Store(mib)
	var all sync.WaitGroup
	begun, stop := make(chan struct{}), make(chan struct{})
	all.Go(func() {
		close(begun)
		for {
			select {
			case <-stop:
				return
			default:
				withdraw(&left, 300*mib)
			}
		}
	})
	<-begun
	for range times {
		if !withdraw(&left, 10) {
			t.Fatalf("refused, and %d bytes are left", left.Load())
		}
		left.Add(10)
	}
	close(stop)
	all.Wait()
	left.Store(15) // enough for one of them
	for range 3 {
		all.Go(func() {
			for range times / 4 {
				if withdraw(&left, 10) {
					left.Add(10)
				}
			}
		})
	}
	all.Wait()
	if left.Load() != 15 {
		t.Errorf("%d bytes of 15 are left, and nobody has any", left.Load())
	}
}
