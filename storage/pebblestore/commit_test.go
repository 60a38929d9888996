package pebblestore

import (
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"beanfield/storage"
	"beanfield/storage/must"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

func putOne(l storage.Log, id uint64) {
	j := storage.Job{ID: id, Tube: "t", State: storage.Ready, Size: 4}
	l.Put(&j, []byte("body"))
}

// ticking is a store, and the ticks of the timer that syncs. Its other timers never fire.
func ticking(o Options) (*store, chan<- time.Time) {
	ticks := make(chan time.Time)
	s := newStore(o)
	s.ticker = func(d time.Duration) (<-chan time.Time, func()) {
		if d == s.o.SyncEvery {
			return ticks, func() {}
		}
		return nil, func() {}
	}
	return s, ticks
}

// In Interval mode turns do not wait; a tick of the timer syncs what there is,
// also when nothing comes any more, and does nothing when there is nothing.
func TestIntervalSyncs(t *testing.T) {
	fs := vfs.NewCrashableMem()
	s, ticks := ticking(small(fs, storage.Interval))
	l := mustOpen(t, s, 1)[0].(*shardLog)
	for id := uint64(1); id <= 10; id++ {
		putOne(l, id)
		if !l.Commit(make(committed, 1)) {
			t.Fatal("a turn waits")
		}
	}
	must.Do(t, l.committer.Settle())
	before := fs.CrashClone(vfs.CrashCloneCfg{})
	ticks <- time.Time{}
	ticks <- time.Time{} // taken only when the first has been dealt with
	ticks <- time.Time{}
	if n := l.Stats().Syncs; n != 1 {
		t.Errorf("%d syncs", n)
	}
	for want, fs := range map[int]*vfs.MemFS{0: before, 10: fs.CrashClone(vfs.CrashCloneCfg{})} {
		hasJobs(t, fs, want)
	}
	must.Do(t, s.Close())
}

// A failed timed sync ends a log as a failed commit does.
func TestFailedIntervalSync(t *testing.T) {
	broken := errors.New("broken disk")
	var on atomic.Bool
	fatal := make(chan error, 1)
	o := small(faulty(vfs.NewMem(), (func(errorfs.Op) error {
		if on.Load() {
			return broken
		}
		return nil
	})), storage.Interval)
	o.Fatal = func(err error) { fatal <- err }
	s, ticks := ticking(o)
	l := mustOpen(t, s, 1)[0].(*shardLog)
	putOne(l, 1)
	if !l.Commit(make(committed, 1)) {
		t.Fatal("a turn waits")
	}
	must.Do(t, l.committer.Settle())
	on.Store(true)
	ticks <- time.Time{}
	if err := <-fatal; !errors.Is(err, broken) {
		t.Errorf("fatal with %v", err)
	}
	if err := commit(l); !errors.Is(err, broken) {
		t.Errorf("commit: %v", err)
	}
	if l.Room(0) || l.Stats().Err == nil {
		t.Error("the log seems well")
	}
	if err := s.Close(); !errors.Is(err, broken) {
		t.Errorf("close: %v", err)
	}
}

// Commit, and what goes before it, allocates nothing once its slices have grown.
func TestCommitAllocatesNothing(t *testing.T) {
	o := small(vfs.NewMem(), storage.Never)
	o.LogBytes = 64 * mib // nothing is folded meanwhile
	s := noTicks(o)
	l := mustOpen(t, s, 1)[0]
	j := storage.Job{Tube: "t", State: storage.Ready, Size: 100}
	parts := [][]byte{make([]byte, 60), make([]byte, 40)}
	w := make(committed, 1)
	once := func() {
		j.ID++
		l.Put(&j, parts...)
		l.Update(&j)
		l.Delete(&j)
		if !l.Commit(w) {
			<-w
		}
	}
	for range 20000 {
		once()
	}
	if n := testing.AllocsPerRun(20000, once); n >= 1 {
		t.Errorf("%v allocations a turn", n)
	}
	must.Do(t, s.Close())
}

// A turn may be longer than the whole log, and make more than one table.
func TestVeryLargeTurn(t *testing.T) {
	t.Parallel()
	fs := vfs.NewMem()
	for _, mode := range []storage.SyncMode{storage.Always, storage.Never} {
		s := noTicks(small(fs, mode))
		l := mustOpen(t, s, 1)[0]
		before := len(replayed(t, l))
		body := make([]byte, storage.LargeBody) // the largest that is copied: the buffer is used again
		const n = 20
		for i := range uint64(n) {
			id := l.MaxID() + 1 + i
			body[0] = byte(id)
			l.Put(&storage.Job{ID: id, Tube: "t", State: storage.Ready, Size: uint32(len(body))}, body)
		}
		mustCommit(t, l)
		for i := range uint64(n) {
			id := l.MaxID() + 1 + i
			got, err := l.Body(id, nil)
			if err != nil || len(got) != len(body) || got[0] != byte(id) {
				t.Fatalf("body of job %d: %d bytes, %v", id, len(got), err)
			}
		}
		must.Do(t, s.Close())
		hasJobs(t, fs, before+n)
	}
}
