package pebblestore

import (
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"beanfield/storage"
	"beanfield/storage/must"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// gate is a file system whose syncs of logs wait while it is shut.
type gate struct {
	vfs.FS
	mu      sync.Mutex
	arrived chan struct{}
}

func newGate(fs vfs.FS) *gate {
	g := &gate{arrived: make(chan struct{}, 1000)}
	g.FS = errorfs.Wrap(fs, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if strings.HasSuffix(op.Path, ".turns") &&
			(op.Kind == errorfs.OpFileSync || op.Kind == errorfs.OpFileSyncData) {
			g.arrived <- struct{}{}
			g.mu.Lock()
			//lint:ignore SA2001 the gate is passed, nothing is done inside
			g.mu.Unlock()
		}
		return nil
	}))
	return g
}

func putOne(l storage.Log, id uint64) {
	j := storage.Job{ID: id, Tube: "t", State: storage.Ready, Size: 4}
	l.Put(&j, []byte("body"))
}

// heldUp is a store whose committer waits in the sync of job 1, turn 1, until
// the gate's mutex, which it has locked, is free.
func heldUp(t *testing.T, fs vfs.FS) (*gate, *store, storage.Log, *ledger) {
	t.Helper()
	g := newGate(fs)
	s := noTicks(small(g, storage.Always))
	l := mustOpen(t, s, 1)[0]
	for len(g.arrived) > 0 {
		<-g.arrived
	}
	led := &ledger{t: t}
	g.mu.Lock()
	putOne(l, 1)
	if l.Commit(turn{led, 1}) {
		t.Fatal("acknowledged before its sync")
	}
	<-g.arrived
	return g, s, l, led
}

// While a batch is being synced, any number of turns gather, and one sync
// serves them all, in order.
func TestOneSyncServesManyTurns(t *testing.T) {
	g, s, l, led := heldUp(t, vfs.NewMem())
	for n := 2; n <= 100; n++ {
		if n%10 != 0 { // some turns only read
			putOne(l, uint64(n))
		}
		if l.Commit(turn{led, n}) {
			t.Fatal("acknowledged before its sync")
		}
		// What waits can be read.
		if n%10 != 0 {
			if body, err := l.Body(uint64(n), nil); err != nil || string(body) != "body" {
				t.Fatalf("body of job %d: %q, %v", n, body, err)
			}
		}
	}
	if acked, _ := led.count(); acked != 0 {
		t.Fatalf("turn %d was acknowledged before the sync", acked)
	}
	g.mu.Unlock()
	mustCommit(t, l)
	if acked, _ := led.count(); acked != 100 {
		t.Errorf("only turn %d was acknowledged", acked)
	}
	if n := l.Stats().Syncs; n != 2 {
		t.Errorf("%d syncs for 100 turns", n)
	}
	must.Do(t, s.Close())
}

// gatedLog is a store with one log, whose committer takes nothing yet.
func gatedLog(t *testing.T, fs vfs.FS) (*store, *shardLog) {
	t.Helper()
	s, l := openOne(t, fs)
	must.Do(t, l.committer.Gate())
	return s, l
}

// Turns that end before the committer comes are one group as well.
func TestOneSyncServesTurnsBeforeIt(t *testing.T) {
	s, l := gatedLog(t, vfs.NewMem())
	led := &ledger{t: t}
	for n := 1; n <= 10; n++ {
		putOne(l, uint64(n))
		if l.Commit(turn{led, n}) {
			t.Fatal("acknowledged before its sync")
		}
	}
	l.committer.Thaw()
	mustCommit(t, l)
	if acked, _ := led.count(); acked != 10 {
		t.Errorf("only turn %d was acknowledged", acked)
	}
	if n := l.Stats().Syncs; n != 1 {
		t.Errorf("%d syncs for 10 turns", n)
	}
	must.Do(t, s.Close())
}

// Closing a log opens its gate: what has been committed is applied and told.
func TestCloseWhileGated(t *testing.T) {
	fs := vfs.NewMem()
	s, l := gatedLog(t, fs)
	putOne(l, 1)
	w := newWaiter()
	l.Commit(w)
	must.Do(t, s.Close())
	w.mustBeTold(t)
	s = noTicks(small(fs, storage.Always))
	if got := replayed(t, mustOpen(t, s, 1)[0]); len(got) != 1 {
		t.Errorf("%d jobs come back", len(got))
	}
	must.Do(t, s.Close())
}

// A turn that wrote nothing waits for those before it, and for nothing else.
func TestTurnsWithoutRecords(t *testing.T) {
	s := noTicks(small(vfs.NewMem(), storage.Always))
	l := mustOpen(t, s, 1)[0]
	if !l.Commit(newWaiter()) {
		t.Error("nothing to wait for, but it waits")
	}
	putOne(l, 1)
	w := newWaiter()
	if l.Commit(w) {
		t.Error("acknowledged before its sync")
	}
	mustCommit(t, l)
	select {
	case <-w.done:
	default:
		t.Error("a turn that wrote nothing overtook one that wrote")
	}
	must.Do(t, s.Close())
}

// In Interval mode turns do not wait; a tick of the timer syncs what there is,
// also when nothing comes any more, and does nothing when there is nothing.
func TestIntervalSyncs(t *testing.T) {
	fs := vfs.NewCrashableMem()
	ticks := make(chan time.Time)
	s := newStore(small(fs, storage.Interval))
	s.ticker = func(d time.Duration) (<-chan time.Time, func()) {
		if d == s.o.SyncEvery {
			return ticks, func() {}
		}
		return nil, func() {}
	}
	l := mustOpen(t, s, 1)[0].(*shardLog)
	for id := uint64(1); id <= 10; id++ {
		putOne(l, id)
		if !l.Commit(newWaiter()) {
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
		c := noTicks(small(fs, storage.Interval))
		if got := replayed(t, mustOpen(t, c, 1)[0]); len(got) != want {
			t.Errorf("%d jobs after a crash, should be %d", len(got), want)
		}
		must.Do(t, c.Close())
	}
	must.Do(t, s.Close())
}

// A failed timed sync ends a log as a failed commit does.
func TestFailedIntervalSync(t *testing.T) {
	broken := errors.New("broken disk")
	var on atomic.Bool
	ticks := make(chan time.Time)
	fatal := make(chan error, 1)
	o := small(errorfs.Wrap(vfs.NewMem(), errorfs.InjectorFunc(func(errorfs.Op) error {
		if on.Load() {
			return broken
		}
		return nil
	})), storage.Interval)
	o.Fatal = func(err error) { fatal <- err }
	s := newStore(o)
	s.ticker = func(d time.Duration) (<-chan time.Time, func()) {
		if d == s.o.SyncEvery {
			return ticks, func() {}
		}
		return nil, func() {}
	}
	l := mustOpen(t, s, 1)[0].(*shardLog)
	putOne(l, 1)
	if !l.Commit(newWaiter()) {
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
	w := newWaiter()
	once := func() {
		j.ID++
		l.Put(&j, parts...)
		l.Update(&j)
		l.Delete(&j)
		if !l.Commit(w) {
			<-w.done
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
