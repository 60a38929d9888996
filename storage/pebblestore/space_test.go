package pebblestore

import (
	"flag"
	"os"
	"path/filepath"
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

var full = flag.Bool("full", false, "run the tests of disk use at full size")

func TestRoomFollowsTheDisk(t *testing.T) {
	fs := vfs.NewMem()
	usage := func(free uint64) {
		fs.TestingSetDiskUsage(vfs.DiskUsage{AvailBytes: free, TotalBytes: 1 << 40, UsedBytes: 1 << 40})
	}
	usage(100 * mib)
	o := small(fs, storage.Always)
	o.MinFree = 90 * mib
	s := noTicks(o)
	l := mustOpen(t, s, 1)[0]
	putOne(l, 1)
	mustCommit(t, l)
	if !l.Room(mib) {
		t.Error("there is room, but Room says no")
	}
	if l.Room(10 * mib) {
		t.Error("10 MiB are accepted with less than 10 left above the reserve")
	}
	usage(89 * mib)
	s.space.look()
	if l.Room(0) {
		t.Error("the reserve is used, but Room says yes")
	}
	if !l.RoomToUpdate() {
		t.Error("the reserve is there, but no job can be given back")
	}
	l.Delete(&storage.Job{ID: 1, Tube: "t", Size: 4})
	mustCommit(t, l)
	usage(200 * mib)
	s.space.look()
	if !l.Room(mib) || l.Stats().Full {
		t.Error("space has returned, but Room says no, or Stats that the disk is full")
	}
	must.Do(t, s.Close())
}

// Something else fills the disk to the last byte: the write that finds out is
// repeated without the ballast, and works.
func TestBallast(t *testing.T) {
	mem := vfs.NewMem()
	usage := func(free uint64) {
		mem.TestingSetDiskUsage(vfs.DiskUsage{AvailBytes: free, TotalBytes: 1 << 40, UsedBytes: 1 << 40})
	}
	usage(100 * mib)
	var noSpace atomic.Bool
	fs := errorfs.Wrap(mem, errorfs.InjectorFunc(func(op errorfs.Op) error {
		switch {
		case op.Kind == errorfs.OpRemove && op.Path == "data/ballast":
			noSpace.Store(false)
		case (op.Kind == errorfs.OpFileWrite || op.Kind == errorfs.OpFileWriteAt) && noSpace.Load():
			return syscall.ENOSPC
		}
		return nil
	}))
	o := small(fs, storage.Always)
	o.MinFree, o.Ballast = mib, mib
	s := noTicks(o)
	l := mustOpen(t, s, 1)[0]
	putOne(l, 1)
	mustCommit(t, l)
	must.Get(mem.Stat("data/ballast"))
	usage(0)
	noSpace.Store(true)
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
	usage(mib)
	s.space.look()
	if !l.RoomToUpdate() || l.Room(0) {
		t.Error("with the ballast's size free again, jobs can be given back and not put: it says otherwise")
	}
	usage(100 * mib)
	s.space.look()
	if _, err := mem.Stat("data/ballast"); err != nil {
		t.Error("the ballast is not back")
	}
	if !l.Room(mib) {
		t.Error("space has returned, but Room says no")
	}
	must.Do(t, s.Close())
}

// A real disk, made full by jobs, then by another file: deletes always work.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=96m"); err != nil {
		t.Skipf("cannot mount a tmpfs: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	s := noTicks(Options{
		Dir: filepath.Join(dir, "data"), Logger: quiet(), CacheBytes: mib,
		MemTableBytes: 2 * mib, MinFree: 24 * mib, Ballast: 8 * mib,
	})
	l := mustOpen(t, s, 1)[0].(*shardLog)
	body := make([]byte, 60_000)
	random := uint64(1)
	first, next := uint64(1), uint64(1)
	for round := range 3 {
		for l.Room(len(body)) {
			for i := 0; i+8 <= len(body); i += 8 { // nothing to compress
				random = random*6364136223846793005 + 1
				body[i], body[i+3], body[i+5] = byte(random>>33), byte(random>>41), byte(random>>49)
			}
			l.Put(&storage.Job{ID: next, Tube: "t", State: storage.Ready, Size: uint32(len(body))}, body)
			mustCommit(t, l)
			next++
			s.space.look()
		}
		if next-first < 100 {
			t.Errorf("round %d: only %d jobs fit", round, next-first)
		}
		hog := filepath.Join(dir, "hog")
		fillUp(t, hog)
		s.space.look() // what was measured before is not true any more
		for ; first < next; first++ {
			l.Delete(&storage.Job{ID: first, Tube: "t", Size: uint32(len(body))})
			mustCommit(t, l)
		}
		if l.Room(0) {
			t.Errorf("round %d: room on a full disk", round)
		}
		must.Do(t, os.Remove(hog))
		l.compact()
		awaitRoom(t, s, l)
	}
	if err := l.Stats().Err; err != nil {
		t.Error(err)
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

// usage are the bounds of TestDiskUse. Scaled down, the memtables and the spare are
// smaller too, so that the bound means something.
type usage struct {
	scale            uint64
	spare, memTables int64
	ballast, bound   int64
}

func usageBounds() usage {
	switch {
	case *full:
		return usage{1, spareTables, 0, 0, 256 * mib}
	case testing.Short():
		return usage{200, 2 * mib, 2 * mib, -1, 24 * mib}
	}
	return usage{20, 2 * mib, 2 * mib, -1, 24 * mib}
}

// run does something to a store that leaves so many bytes of live jobs, and checks
// how much of the disk it then uses.
func (u usage) run(t *testing.T, name string, live int64, fn func(t *testing.T, l storage.Log)) {
	t.Run(name, func(t *testing.T) {
		o := onDisk(t, storage.Never)
		o.MemTableBytes, o.LogBytes, o.Ballast = u.memTables, 4*u.memTables, u.ballast
		s := noTicks(o)
		l := mustOpen(t, s, 1)[0].(*shardLog)
		fn(t, l)
		l.compactIfDue(u.spare)
		l.compactIfDue(u.spare)
		used := diskUse(t, o.Dir)
		t.Logf("%d KiB on disk for %d KiB of live jobs", used>>10, live>>10)
		if used > 3*live+u.bound {
			t.Errorf("%d bytes on disk for %d of live jobs", used, live)
		}
		must.Do(t, s.Close())
	})
}

// Disk use stays proportional to the live jobs.
func TestDiskUse(t *testing.T) {
	u := usageBounds()
	size := func(jobs uint64) int64 {
		return int64(jobs) * format.DiskSize(&storage.Job{Tube: "default", Size: 100})
	}

	u.run(t, "released with a delay again and again", size(1), func(t *testing.T, l storage.Log) {
		putMany(t, l, 1, 1, asIs, 100)
		for n := range uint32(200_000 / u.scale) {
			l.Update(&storage.Job{ID: 1, State: storage.Delayed, Delay: 1, Deadline: int64(n), Releases: n})
			mustCommit(t, l)
		}
	})
	u.run(t, "put and deleted beside some that stay", size(1000), func(t *testing.T, l storage.Log) {
		last := 5_000_000 / u.scale
		putMany(t, l, 1, 1000, asIs, 100)
		for id := uint64(1001); id <= last; id += 20_000 {
			to := min(id+19_999, last)
			putMany(t, l, id, to, asIs, 100)
			deleteMany(t, l, id, to, 100, false)
		}
	})
	u.run(t, "buried and deleted one by one", 0, func(t *testing.T, l storage.Log) {
		last := 1_000_000 / u.scale
		putMany(t, l, 1, last, asIs, 100)
		for id := uint64(1); id <= last; id++ {
			l.Update(&storage.Job{ID: id, State: storage.Buried, BuryRank: id, Buries: 1})
			if id%1000 == 0 {
				mustCommit(t, l)
			}
		}
		deleteMany(t, l, 1, last, 100, true)
	})
	u.run(t, "large ones deleted in random order but for every tenth", int64(20_000/u.scale)*1000,
		func(t *testing.T, l storage.Log) {
			last := 200_000 / u.scale
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
