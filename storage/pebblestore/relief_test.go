package pebblestore

import (
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"beanfield/storage"
	"beanfield/storage/must"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// folds is how many shares a store has taken.
func folds(l *shardLog) uint64 { return l.db.Metrics().Ingest.Count }

// shortOfSpace is a store of one shard, in memory, on a disk that is about full.
func shortOfSpace(t *testing.T) (*store, *shardLog, *vfs.MemFS) {
	t.Helper()
	fs := vfs.NewMem()
	o := small(fs, storage.Always)
	o.MinFree = 90 * mib
	s := noTicks(o)
	l := mustOpen(t, s, 1)[0].(*shardLog)
	fs.TestingSetDiskUsage(vfs.DiskUsage{AvailBytes: 80 * mib, TotalBytes: 1 << 40})
	s.space.look()
	return s, l, fs
}

// What dead jobs hold in the log is given back while there is too little space, once.
func TestReliefGivesBack(t *testing.T) {
	s, l, _ := shortOfSpace(t)
	putMany(t, l, 1, 150, asIs, 1000)
	deleteMany(t, l, 1, 149, 1000, false)
	s.relieve()
	if at, last := l.place.Number, l.appended.Load(); at != last {
		t.Errorf("the store stands at %d, and the log at %d", at, last)
	}
	before := folds(l)
	putOne(l, 151)
	mustCommit(t, l)
	s.relieve()
	if n := folds(l); n != before {
		t.Errorf("%d folds although nothing has died", n-before)
	}
	must.Do(t, s.Close())
	again := mustOpen(t, noTicks(s.o), 1)[0]
	if got := replayed(t, again); len(got) != 2 {
		t.Errorf("%d jobs are there after a restart, want 2", len(got))
	}
}

// Tables that hold what is dead are compacted.
func TestReliefCompacts(t *testing.T) {
	s, l, _ := shortOfSpace(t)
	defer s.Close()
	const jobs, size = 10_000, 64
	tables := func() int64 { return int64(l.db.Metrics().Table.Local.LiveSize) }
	putMany(t, l, 1, jobs, asIs, size)
	must.Do(t, l.compact())
	if tables() < jobs*size {
		t.Fatalf("the tables of %d jobs have %d bytes", jobs, tables())
	}
	deleteMany(t, l, 1, jobs, size, false)
	s.relieve()
	if n := tables(); n > leastDead {
		t.Errorf("%d bytes of tables are left of nothing", n)
	}
}

// With enough space nothing is done, however much is dead.
func TestNoReliefWithSpace(t *testing.T) {
	s, l, fs := shortOfSpace(t)
	defer s.Close()
	fs.TestingSetDiskUsage(vfs.DiskUsage{AvailBytes: 1 << 30, TotalBytes: 1 << 40})
	s.space.look()
	putMany(t, l, 1, 50, asIs, 1000)
	deleteMany(t, l, 1, 50, 1000, false)
	before := folds(l)
	s.relieve()
	if n := folds(l); n != before {
		t.Errorf("%d folds without need", n-before)
	}
	if l.Room(1 << 30) { // one put that does not fit is need enough
		t.Fatal("a gigabyte is accepted")
	}
	s.space.look()
	s.relieve()
	if n := folds(l); n != before+1 {
		t.Errorf("%d folds after a put was refused, want 1", n-before)
	}
}

// smallDisk mounts a real file system of 8 MB.
func smallDisk(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=8m"); err != nil {
		t.Skipf("cannot mount a tmpfs: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// awaitRoom returns when there is room again after all jobs are deleted. Pebble
// removes files in the background, and tells nobody when it has.
func awaitRoom(t *testing.T, s *store, l *shardLog) {
	t.Helper()
	for end := time.Now().Add(5 * time.Minute); !l.Room(mib); time.Sleep(time.Millisecond) {
		s.relieve()
		if s.space.look(); time.Now().After(end) {
			t.Fatal("all jobs are deleted, and there is no room")
		}
	}
}

// The life of a queue on a real disk of 8 MB: it is filled, refuses, takes jobs
// back, is emptied and takes new ones, all without a restart. Then it is restarted.
func TestLifeOnASmallDisk(t *testing.T) {
	o := Options{Dir: filepath.Join(smallDisk(t), "data"), Logger: quiet(), CacheBytes: mib, MinFree: -1}
	s := noTicks(o)
	l := mustOpen(t, s, 2)[0].(*shardLog)
	const size = 1000
	first, next := uint64(1), uint64(1)
	for round := range 4 {
		for fills := 0; fills < 3; fills++ { // what was counted for may not be taken in the end
			for ; l.Room(size); next++ {
				putMany(t, l, next, next, asIs, size)
				fills = 0
			}
			s.relieve()
			s.space.look()
		}
		if next-first < 3000 {
			t.Errorf("round %d: only %d jobs of 1,000 bytes fit on 8 MB", round, next-first)
		}
		for id := first; id < first+100; id++ { // workers give up
			if !l.RoomToUpdate() {
				t.Fatalf("round %d: job %d cannot be given back", round, id)
			}
			l.Update(&storage.Job{ID: id, State: storage.Buried, BuryRank: id, Buries: 1})
			mustCommit(t, l)
			s.space.look()
		}
		deleteMany(t, l, first, first+99, size, true)
		deleteMany(t, l, first+100, next-1, size, false)
		first = next
		awaitRoom(t, s, l)
		s.space.look()
	}
	putMany(t, l, next, next+99, asIs, size)
	if err := l.Stats().Err; err != nil {
		t.Error(err)
	}
	must.Do(t, s.Close())
	s = noTicks(o)
	l = mustOpen(t, s, 2)[0].(*shardLog)
	if got := replayed(t, l); len(got) != 100 {
		t.Errorf("%d jobs are there after a restart, want 100", len(got))
	}
	must.Do(t, s.Close())
}
