package pebblestore

import (
	"errors"
	"math/rand"
	"testing"

	"beanfield/storage"
	"beanfield/storage/must"
	"beanfield/storage/pebblestore/disktest"
	"beanfield/storage/storagetest"

	"github.com/cockroachdb/pebble/v2/vfs"
)

func TestReplayGivesBackWhatWasCommitted(t *testing.T) {
	for _, mode := range []storage.SyncMode{storage.Always, storage.Interval, storage.Never} {
		fs := vfs.NewMem()
		r := rand.New(rand.NewSource(1))
		s := noTicks(small(fs, mode))
		l := mustOpen(t, s, 1)[0]
		live := map[uint64]*storagetest.Stored{}
		var rank uint64
		for id := uint64(1); id <= 2000; id++ {
			j := storagetest.RandomJob(r, id, "tube")
			live[id] = &j
			put(l, &j)
			if other := live[1+uint64(r.Intn(int(id)))]; other != nil {
				if r.Intn(3) > 0 {
					l.Delete(&other.Job)
					delete(live, other.ID)
				} else {
					storagetest.RandomUpdate(r, other, &rank)
					l.Update(&other.Job)
				}
			}
			mustCommit(t, l)
		}
		must.Do(t, s.Close())
		s = noTicks(small(fs, mode))
		l = mustOpen(t, s, 1)[0]
		var want []storagetest.Stored
		for _, j := range live {
			want = append(want, *j)
		}
		storagetest.SameJobs(t, replayed(t, l), storagetest.InOrder(want))
		if l.MaxID() != 2000 {
			t.Errorf("highest id is %d", l.MaxID())
		}
		for _, j := range want {
			if body, err := l.Body(j.ID, []byte("+")); err != nil || string(body) != "+"+j.Body {
				t.Fatalf("body of job %d: %q, %v", j.ID, body, err)
			}
		}
		must.Do(t, s.Close())
	}
}

func TestMaxIDOutlivesItsJob(t *testing.T) {
	fs := vfs.NewMem()
	s, l := openOne(t, fs)
	j := storagetest.Stored{Job: storage.Job{ID: 77, Tube: "t", State: storage.Ready}}
	l.Put(&j.Job)
	mustCommit(t, l)
	l.Delete(&j.Job)
	mustCommit(t, l)
	must.Do(t, s.Close())
	s, l = openOne(t, fs)
	if got := replayed(t, l); len(got) != 0 {
		t.Errorf("%v came back", got)
	}
	if l.MaxID() != 77 {
		t.Errorf("highest id is %d", l.MaxID())
	}
	if _, err := l.Body(77, nil); !errors.Is(err, storage.ErrNoBody) {
		t.Errorf("body: %v", err)
	}
	must.Do(t, s.Close())
}

// What a log takes on the disk is known from the start, not only when it is
// measured for the first time in the background.
func TestBytesOnDiskAtStart(t *testing.T) {
	fs := vfs.NewMem()
	fill(t, fs, 1, 2000)
	size := func(ending string) (n uint64) {
		for _, path := range disktest.Look(t, fs, "data", ending) {
			n += uint64(len(disktest.Read(t, fs, path)))
		}
		return n
	}
	for range 2 { // from a log file, then from tables
		before := size(".log") + size(".sst") // what was in the log file may be in both for a while
		s, l := openOne(t, fs)
		if got := l.Stats().Bytes; got < 100_000 || got > 2*before+(1<<20) {
			t.Errorf("%d bytes on disk, there were %d", got, before)
		}
		l.compact()
		must.Do(t, s.Close())
	}
}
