package pebblestore

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"beanfield/storage"
	"beanfield/storage/effort"
	"beanfield/storage/must"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// folds is how many shares a store has taken.
func folds(l *shardLog) uint64 { return l.db.Metrics().Ingest.Count }

// What dead jobs hold in the log is given back while there is too little space, once.
func TestReliefGivesBack(t *testing.T) {
	mem := vfs.NewMem()
	l := roomy(t, mem, mem, 0)
	putMany(t, l, 1, 150, asIs, 1000)
	deleteMany(t, l, 1, 149, 1000, false)
	l.store.relieve()
	if at, last := l.place.Number, l.appended.Load(); at != last {
		t.Errorf("the store stands at %d, and the log at %d", at, last)
	}
	before := folds(l)
	putOne(l, 151)
	mustCommit(t, l)
	l.store.relieve()
	if n := folds(l); n != before {
		t.Errorf("%d folds although nothing has died", n-before)
	}
	if got := replayed(t, l); len(got) != 2 {
		t.Errorf("%d jobs are there, want 2", len(got))
	}
}

// Tables that hold what is dead are compacted.
func TestReliefCompacts(t *testing.T) {
	mem := vfs.NewMem()
	l := roomy(t, mem, mem, 0)
	const jobs, size = 10_000, 64
	tables := func() int64 { return int64(l.db.Metrics().Table.Local.LiveSize) }
	putMany(t, l, 1, jobs, asIs, size)
	must.Do(t, l.compact())
	if tables() < jobs*size {
		t.Fatalf("the tables of %d jobs have %d bytes", jobs, tables())
	}
	deleteMany(t, l, 1, jobs, size, false)
	l.store.relieve()
	if n := tables(); n > leastDead {
		t.Errorf("%d bytes of tables are left of nothing", n)
	}
}

// With enough space nothing is done, however much is dead.
func TestNoReliefWithSpace(t *testing.T) {
	mem := vfs.NewMem()
	l := roomy(t, mem, mem, 1<<30)
	s := l.store
	putMany(t, l, 1, 50, asIs, 1000)
	deleteMany(t, l, 1, 50, 1000, false)
	before := folds(l)
	s.relieve()
	if n := folds(l); n != before {
		t.Errorf("%d folds without need", n-before)
	}
	if l.Room(2 << 30) { // one put that does not fit is need enough
		t.Fatal("two gigabytes are accepted")
	}
	s.space.look()
	s.relieve()
	if n := folds(l); n != before+1 {
		t.Errorf("%d folds after a put was refused, want 1", n-before)
	}
}

// What dies while space is given back is given back the next time, although nothing dies after it.
func TestReliefForgetsNothing(t *testing.T) {
	mem := vfs.NewMem()
	var meanwhile func()
	fs := faulty(mem, func(op errorfs.Op) error {
		if op.Kind == errorfs.OpCreate && strings.Contains(op.Path, foldPrefix) && meanwhile != nil {
			do := meanwhile
			meanwhile = nil
			do()
		}
		return nil
	})
	l := roomy(t, mem, fs, 0)
	s := l.store
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
// back, is emptied, even if another file has filled the disk, and takes new ones, all without a restart. Then it is
// restarted.
func TestLifeOnASmallDisk(t *testing.T) {
	t.Parallel()
	dir := smallDisk(t, 8)
	hog := filepath.Join(dir, "hog")
	o := Options{Dir: filepath.Join(dir, "data"), Logger: quiet(), CacheBytes: mib, MinFree: -1}
	s := noTicks(o)
	l := mustOpen(t, s, 2)[0].(*shardLog)
	const size = 1000
	first, next := uint64(1), uint64(1)
	rounds := 4
	if effort.Brief() {
		rounds = 2
	}
	for round := range rounds {
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
			l.Update(&storage.Job{ID: id, State: storage.Buried, BuryRank: id, Counters: storage.Counters{Buries: 1}})
			mustCommit(t, l)
			s.space.look()
		}
		fillUp(t, hog)
		s.space.look() // what was measured before is not true any more
		deleteMany(t, l, first, first+99, size, true)
		deleteMany(t, l, first+100, next-1, size, false)
		if l.Room(0) {
			t.Errorf("round %d: room on a full disk", round)
		}
		must.Do(t, os.Remove(hog))
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
