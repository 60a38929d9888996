package pebblestore

import (
	"errors"
	"fmt"
	"math/rand"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"beanfield/storage"
	"beanfield/storage/must"
	"beanfield/storage/pebblestore/directory"
	"beanfield/storage/pebblestore/format"
	"beanfield/storage/storagetest"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// largeJob is a job whose body takes so many bytes, no two pieces of it alike.
func largeJob(id uint64, size int) storagetest.Stored {
	body := make([]byte, size)
	rand.New(rand.NewSource(int64(id))).Read(body)
	return storagetest.Stored{Job: storage.Job{ID: id, Tube: "t", State: storage.Ready, Size: uint32(size)},
		Body: string(body)}
}

func mustPut(t testing.TB, l storage.Log, s storagetest.Stored) {
	t.Helper()
	if !put(l, &s) {
		t.Fatalf("job %d is refused: %v", s.ID, l.Stats().Err)
	}
}

// A small body, and those around every bound of a piece, come back, while their records wait for the
// committer, when they are committed, and after a restart; deleted ones do not.
func TestLargeBodies(t *testing.T) {
	mem := vfs.NewMem()
	s, l := openOne(t, mem)
	must.Do(t, l.committer.Gate())
	var want []storagetest.Stored
	for i, size := range []int{
		100, storage.LargeBody + 1, 5*format.PieceSize - 1, 5 * format.PieceSize, 5*format.PieceSize + 1,
		9*format.PieceSize + 7,
	} {
		want = append(want, largeJob(uint64(10+i), size))
	}
	for _, j := range want {
		mustPut(t, l, j)
	}
	gone := largeJob(20, 3*storage.LargeBody)
	mustPut(t, l, gone)
	l.Delete(&gone.Job)
	readable := func(when string) {
		t.Helper()
		for _, j := range want {
			if body, err := l.Body(j.ID, []byte("+")); err != nil || string(body) != "+"+j.Body {
				t.Errorf("%s: job %d: %d bytes, %v", when, j.ID, len(body), err)
			}
		}
	}
	if l.Commit(make(committed, 1)) {
		t.Fatal("acknowledged before its sync")
	}
	readable("before the commit")
	l.committer.Thaw()
	mustCommit(t, l)
	readable("after the commit")
	must.Do(t, s.Close())
	s, l = openOne(t, mem)
	defer s.Close()
	storagetest.SameJobs(t, replayed(t, l), want)
	readable("after the restart")
	if max := l.MaxID(); max != 20 {
		t.Errorf("the highest id is %d, want 20", max)
	}
	if n := pieces(t, l); n != 5+5+5+6+10 {
		t.Errorf("%d pieces are left", n)
	}
}

// pieces counts those that the database has.
func pieces(t *testing.T, l storage.Log) (n int) {
	t.Helper()
	if err := l.(*shardLog).foldAll(); err != nil { // it knows of deletes then
		t.Fatal(err)
	}
	it := must.Get(l.(*shardLog).db.NewIter(format.KindRange(format.KeyPiece)))
	defer it.Close()
	for ok := it.First(); ok; ok = it.Next() {
		n++
	}
	return n
}

// A large body costs the shard's turn nothing, and its log only the record.
func TestLargeBodyIsNoBurden(t *testing.T) {
	s, l := openOne(t, vfs.NewMem())
	defer s.Close()
	j := largeJob(1, 8*storage.LargeBody)
	must.Do(t, stageBody(l, 1, []byte(j.Body)))
	if got := bytesAllocated(func() { l.Put(&j.Job) }); got > 4096 {
		t.Errorf("to put it took %d bytes", got)
	}
	mustCommit(t, l)
	l.Delete(&j.Job)
	mustCommit(t, l)
	if m := l.db.Metrics(); m.WAL.BytesIn > 4096 {
		t.Errorf("the log took %d bytes", m.WAL.BytesIn)
	}
	l.compact()
	if n := l.db.Metrics().Table.Local.LiveSize; n > storage.LargeBody {
		t.Errorf("tables of %d bytes are left", n)
	}
}

// A body whose job was never put is dropped at the next start, be it in the
// database or on its way there; the id can be given again.
func TestStrayBody(t *testing.T) {
	fs := vfs.NewMem()
	s, l := openOne(t, fs)
	kept := largeJob(1, 2*storage.LargeBody)
	mustPut(t, l, kept)
	mustCommit(t, l)
	for id := uint64(2); id < 5; id++ {
		must.Do(t, stageBody(l, id, []byte(kept.Body)))
	}
	must.Do(t, s.Close())
	half := fs.PathJoin(s.dir.Shard(1, 0), stagedPrefix+"9")
	if f, err := fs.Create(half, directory.Category); err != nil || f.Close() != nil {
		t.Fatal(err)
	}

	s, l = openOne(t, fs)
	if _, err := fs.Stat(half); !directory.Missing(err) {
		t.Errorf("half a body is left: %v", err)
	}
	storagetest.SameJobs(t, replayed(t, l), []storagetest.Stored{kept})
	if n := pieces(t, l); n != 8 {
		t.Errorf("%d pieces are left of 8", n)
	}
	again := largeJob(3, storage.LargeBody+1)
	mustPut(t, l, again)
	mustCommit(t, l)
	must.Do(t, s.Close())
	holds(t, fs, 1, []storagetest.Stored{kept, again}, 3)
	holds(t, fs, 2, []storagetest.Stored{kept, again}, 3)
}

// Closing waits for a body that is on its way.
func TestCloseWhileABodyIsStaged(t *testing.T) {
	fs := vfs.NewMem()
	s, l := openOne(t, fs)
	w := make(committed, 1)
	l.Stage(1, [][]byte{make([]byte, 5*storage.LargeBody)}, w)
	must.Do(t, s.Close())
	w.mustBeTold(t)
	holds(t, fs, 1, nil, 0)
}

// A body that cannot be written is refused, without a trace, and nothing else is.
func TestLargeBodyIsRefused(t *testing.T) {
	for _, fault := range []error{syscall.ENOSPC, syscall.EMFILE} {
		for _, table := range []string{"1-0", "1-4"} {
			broken := true
			fs := faulty(vfs.NewMem(), func(op errorfs.Op) error {
				if broken && op.Kind == errorfs.OpCreate && strings.HasSuffix(op.Path, stagedPrefix+table) {
					return fault
				}
				return nil
			})
			s, l := openOne(t, fs)
			l.stager.most = 4
			j := largeJob(1, 2*storage.LargeBody)
			if err := stageBody(l, 1, []byte(j.Body)); !errors.Is(err, fault) ||
				errors.Is(err, storage.ErrNoSpace) != (fault == syscall.ENOSPC) {
				t.Errorf("%v: %v", fault, err)
			}
			if names, err := fs.List(s.dir.Shard(1, 0)); err != nil || strings.Contains(fmt.Sprint(names),
				stagedPrefix) {
				t.Errorf("%v is left, %v", names, err)
			}
			if n := pieces(t, l); n != 0 {
				t.Errorf("%d pieces are left", n)
			}
			broken = false
			j.ID = 2
			mustPut(t, l, j)
			mustCommit(t, l)
			if body, err := l.Body(2, nil); err != nil || string(body) != j.Body {
				t.Errorf("%d bytes, %v", len(body), err)
			}
			must.Do(t, s.Close())
		}
	}
}

// Beside small jobs, large bodies go to the last level, where nothing moves them.
func TestLargeBodiesAreNotCompacted(t *testing.T) {
	s := noTicks(small(vfs.NewMem(), storage.Never))
	l := mustOpen(t, s, 1)[0].(*shardLog)
	defer s.Close()
	id := uint64(1)
	for range 12 {
		for range 500 {
			l.Put(&storage.Job{ID: id, Tube: "t", State: storage.Ready, Size: 1000}, make([]byte, 1000))
			id++
		}
		mustPut(t, l, largeJob(id, storage.LargeBody+1))
		id++
		mustCommit(t, l)
		must.Do(t, l.db.Flush())
	}
	l.compact()
	var written uint64
	m := l.db.Metrics()
	for _, level := range m.Levels {
		written += level.TableBytesCompacted
	}
	if last := m.Levels[len(m.Levels)-1].TableBytesIngested; last < 12*storage.LargeBody {
		t.Errorf("the last level has taken over %d bytes of %d", last, 12*storage.LargeBody)
	}
	if most := uint64(12 * storage.LargeBody); written > most { // small jobs, a few times
		t.Errorf("compactions wrote %d bytes, more than %d", written, most)
	}
}

// A body that is read while its job is deleted is read whole, or there is none.
func TestLargeBodyBesideItsDelete(t *testing.T) {
	s := noTicks(small(vfs.NewMem(), storage.Never))
	l := mustOpen(t, s, 1)[0]
	defer s.Close()
	for id := uint64(1); id <= 40; id++ {
		j := largeJob(id, storage.LargeBody+1)
		mustPut(t, l, j)
		mustCommit(t, l)
		done := make(chan error)
		go func() {
			for {
				body, err := l.Body(id, nil)
				if err == nil && string(body) != j.Body {
					err = errors.New("another body is read")
				}
				if err != nil {
					done <- err
					return
				}
			}
		}()
		l.Delete(&j.Job)
		mustCommit(t, l)
		if err := <-done; !errors.Is(err, storage.ErrNoBody) {
			t.Fatalf("job %d: %v", id, err)
		}
	}
}

// A buried job comes in its turn, after others, and its body is not read before.
func TestReplayOfALargeBodyReadsItOnce(t *testing.T) {
	var reads [2]int64
	for i, state := range []storage.JobState{storage.Ready, storage.Buried} {
		var read atomic.Int64
		s, l := openOne(t, faulty(vfs.NewMem(), func(op errorfs.Op) error {
			if op.Kind == errorfs.OpFileReadAt && strings.HasSuffix(op.Path, ".sst") {
				read.Add(1)
			}
			return nil
		}))
		j := largeJob(1, 4*storage.LargeBody) // four times as large as the cache
		j.State = state
		mustPut(t, l, j)
		mustCommit(t, l)
		before := read.Load()
		must.Do(t, l.Replay(func(*storage.Job, []byte) error { return nil }))
		reads[i] = read.Load() - before
		must.Do(t, s.Close())
	}
	if pieces := int64(4 * storage.LargeBody / format.PieceSize); reads[0] < pieces || reads[1] >= reads[0]+pieces/2 {
		t.Errorf("%d reads for a body of %d pieces, %d for a buried one", reads[0], pieces, reads[1])
	}
}

// bytesAllocated runs fn and says how much it took. What other goroutines take meanwhile
// is counted too.
func bytesAllocated(fn func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	fn()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
