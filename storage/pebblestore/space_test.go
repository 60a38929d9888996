package pebblestore

import (
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"beanfield/storage"
	"beanfield/storage/must"
	"beanfield/storage/pebblestore/directory"
	"beanfield/storage/pebblestore/format"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

func TestRoomFollowsTheDisk(t *testing.T) {
	fs := vfs.NewMem()
	setFree(fs, 100*mib)
	o := small(fs, storage.Always)
	o.MinFree = 90 * mib
	s := noTicks(o)
	l := mustOpen(t, s, 1)[0]
	putOne(l, 1)
	mustCommit(t, l)
	if copies := (&Replicas{store: s}); !l.Room(mib) || !strings.Contains(copies.Low(), "less than 90 MiB") {
		t.Errorf("there is little room, but Room says no, or Low %q", copies.Low())
	}
	setFree(fs, 200*mib)
	s.space.promised.Store(120 * mib)
	if s.space.look(); l.Room(0) || (&Replicas{store: s}).Low() != "" {
		t.Error("large bodies take the room for a moment, but Room says yes, or Low that the disk is low")
	}
	s.space.promised.Store(0)
	setFree(fs, 100*mib)
	s.space.look()
	if l.Room(10 * mib) {
		t.Error("10 MiB are accepted with less than 10 left above the reserve")
	}
	setFree(fs, 89*mib)
	s.space.look()
	if l.Room(0) {
		t.Error("the reserve is used, but Room says yes")
	}
	if !l.RoomToUpdate() {
		t.Error("the reserve is there, but no job can be given back")
	}
	l.Delete(&storage.Job{ID: 1, Tube: "t", Size: 4})
	mustCommit(t, l)
	setFree(fs, 200*mib)
	s.space.look()
	if !l.Room(mib) || l.Stats().Full || (&Replicas{store: s}).Low() != "" {
		t.Error("space has returned, but Room says no, or Stats that the disk is full, or Low that it nearly is")
	}
	must.Do(t, s.Close())
}

// ballasted is a store with a ballast. While its disk is full, some operations find no space, until
// the ballast is removed.
func ballasted(t *testing.T, fails func(errorfs.Op) bool) (mem *vfs.MemFS, full *atomic.Bool, s *store, l *shardLog) {
	mem, full = vfs.NewMem(), new(atomic.Bool)
	setFree(mem, 100*mib)
	o := small(faulty(mem, func(op errorfs.Op) error {
		switch {
		case op.Kind == errorfs.OpRemove && op.Path == "data/ballast":
			full.Store(false)
		case full.Load() && fails(op):
			return syscall.ENOSPC
		}
		return nil
	}), storage.Always)
	o.MinFree, o.Ballast = mib, mib
	s = noTicks(o)
	return mem, full, s, mustOpen(t, s, 1)[0].(*shardLog)
}

// Something else fills the disk to the last byte: the write that finds out is
// repeated without the ballast, and works.
func TestBallast(t *testing.T) {
	mem, full, s, l := ballasted(t, func(op errorfs.Op) bool {
		return op.Kind == errorfs.OpFileWrite || op.Kind == errorfs.OpFileWriteAt
	})
	putOne(l, 1)
	mustCommit(t, l)
	must.Get(mem.Stat("data/ballast"))
	setFree(mem, 0)
	full.Store(true)
	l.Delete(&storage.Job{ID: 1, Tube: "t", Size: 4})
	mustCommit(t, l)
	if _, err := mem.Stat("data/ballast"); !directory.Missing(err) {
		t.Fatalf("the ballast is still there: %v", err)
	}
	if l.Room(0) || !l.Stats().Full {
		t.Error("the disk is full, but Room says yes, or Stats does not say so")
	}
	s.space.look()
	if l.RoomToUpdate() {
		t.Error("the reserve is used up, but jobs are given back")
	}
	setFree(mem, mib)
	s.space.look()
	if !l.RoomToUpdate() || l.Room(0) {
		t.Error("with the ballast's size free again, jobs can be given back and not put: it says otherwise")
	}
	setFree(mem, 100*mib)
	s.space.look()
	if _, err := mem.Stat("data/ballast"); err != nil {
		t.Error("the ballast is not back")
	}
	if !l.Room(mib) {
		t.Error("space has returned, but Room says no")
	}
	must.Do(t, s.Close())
}

// fillUp takes all the space there is.
func fillUp(t *testing.T, name string) {
	t.Helper()
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	for buf := make([]byte, 4096); err == nil; {
		_, err = f.Write(buf)
	}
	must.Do(t, f.Close())
}

// usesLittle does something to a store that leaves so many bytes of live jobs, and checks
// how much of the disk it then uses. Memtables and spare are smaller than usual, as is what is done,
// so that the bound means something.
func usesLittle(t *testing.T, name string, live int64, fn func(t *testing.T, l storage.Log)) {
	const spare, bound = 2 * mib, 24 * mib
	t.Run(name, func(t *testing.T) {
		o := onDisk(t, storage.Never)
		o.MemTableBytes, o.LogBytes, o.Ballast = spare, 4*spare, -1
		s := noTicks(o)
		l := mustOpen(t, s, 1)[0].(*shardLog)
		fn(t, l)
		l.compactIfDue(spare)
		l.compactIfDue(spare)
		used := diskUse(t, o.Dir)
		t.Logf("%d KiB on disk for %d KiB of live jobs", used>>10, live>>10)
		if used > 3*live+bound {
			t.Errorf("%d bytes on disk for %d of live jobs", used, live)
		}
		must.Do(t, s.Close())
	})
}

// Disk use stays proportional to the live jobs.
func TestDiskUse(t *testing.T) {
	scale := uint64(20)
	if testing.Short() {
		scale = 200
	}
	size := func(jobs uint64) int64 {
		return int64(jobs) * format.DiskSize(&storage.Job{Tube: "default", Size: 100})
	}

	usesLittle(t, "released with a delay again and again", size(1), func(t *testing.T, l storage.Log) {
		putMany(t, l, 1, 1, asIs, 100)
		for n := range uint32(200_000 / scale) {
			l.Update(&storage.Job{ID: 1, State: storage.Delayed, Delay: 1, Deadline: int64(n),
				Counters: storage.Counters{Releases: n}})
			mustCommit(t, l)
		}
	})
	usesLittle(t, "put and deleted beside some that stay", size(1000), func(t *testing.T, l storage.Log) {
		last := 5_000_000 / scale
		putMany(t, l, 1, 1000, asIs, 100)
		for id := uint64(1001); id <= last; id += 20_000 {
			to := min(id+19_999, last)
			putMany(t, l, id, to, asIs, 100)
			deleteMany(t, l, id, to, 100, false)
		}
	})
	usesLittle(t, "buried and deleted one by one", 0, func(t *testing.T, l storage.Log) {
		last := 1_000_000 / scale
		putMany(t, l, 1, last, asIs, 100)
		for id := uint64(1); id <= last; id++ {
			l.Update(&storage.Job{ID: id, State: storage.Buried, BuryRank: id, Counters: storage.Counters{Buries: 1}})
			if id%1000 == 0 {
				mustCommit(t, l)
			}
		}
		deleteMany(t, l, 1, last, 100, true)
	})
	usesLittle(t, "large ones deleted in random order but for every tenth", int64(20_000/scale)*1000,
		func(t *testing.T, l storage.Log) {
			last := 200_000 / scale
			putMany(t, l, 1, last, asIs, 1000)
			for k := range last {
				// 7919 is prime, so every id has its turn.
				if id := 1 + k*7919%last; id%10 != 0 {
					deleteMany(t, l, id, id, 1000, false)
				}
			}
		})
}

func deleteMany(t testing.TB, l storage.Log, first, last uint64, size uint32, updated bool) {
	t.Helper()
	for id := first; id <= last; id++ {
		l.Delete(&storage.Job{ID: id, Tube: "default", Size: size, Updated: updated})
		if id%1000 == 0 || id == last {
			mustCommit(t, l)
		}
	}
}

// On a disk without room for another slot, or for a table of a share, nothing is lost and
// nothing ends: turns wait, and go on when there is room.
func TestLogOnAFullDisk(t *testing.T) {
	for _, what := range []string{".turns", foldPrefix} {
		var full atomic.Bool
		met := make(chan struct{}, 1000)
		fs := faulty(vfs.NewMem(), func(op errorfs.Op) error {
			makes := op.Kind == errorfs.OpCreate || op.Kind == errorfs.OpOpen
			if !full.Load() || !makes || !strings.Contains(op.Path, what) {
				return nil
			}
			met <- struct{}{}
			return syscall.ENOSPC
		})
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
	mem, full, s, l := ballasted(t, func(op errorfs.Op) bool {
		return op.Kind == errorfs.OpCreate && strings.Contains(op.Path, foldPrefix)
	})
	putMany(t, l, 1, 100, asIs, 1000)
	deleteMany(t, l, 1, 99, 1000, false)
	full.Store(true)
	must.Do(t, l.foldAll())
	if _, err := mem.Stat("data/ballast"); !directory.Missing(err) {
		t.Errorf("the ballast is still there: %v", err)
	}
	must.Do(t, s.Close())
}
