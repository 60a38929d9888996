package database

import (
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"beanfield/storage"
	"beanfield/storage/must"
	"beanfield/storage/pebblestore/disktest"
	"beanfield/storage/pebblestore/format"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// rests are what a scheduler wants to have called later; a test decides when.
type rests chan struct {
	d  time.Duration
	fn func()
}

func (r rests) later(d time.Duration, fn func()) {
	r <- struct {
		d  time.Duration
		fn func()
	}{d, fn}
}

// fakeDB is a database with compactions that wait.
type fakeDB struct {
	mu      sync.Mutex
	allowed int
	waiting int
	begun   chan pebble.CompactionGrantHandle
	looked  func() // called, once, when it has been seen that none waits
}

func (d *fakeDB) GetAllowedWithoutPermission() int { return d.allowed }

func (d *fakeDB) GetWaitingCompaction() (bool, pebble.WaitingCompaction) {
	d.mu.Lock()
	defer d.mu.Unlock()
	waits := d.waiting > 0
	if d.looked != nil && !waits {
		d.looked()
		d.looked = nil
	}
	return waits, pebble.WaitingCompaction{}
}

func (d *fakeDB) Schedule(h pebble.CompactionGrantHandle) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.waiting--
	d.begun <- h
	return true
}

// wait has n more compactions wait.
func (d *fakeDB) wait(n int) {
	d.mu.Lock()
	d.waiting += n
	d.mu.Unlock()
}

func newFakeDB(allowed int) (*scheduler, *fakeDB, rests) {
	r := make(rests, 10)
	s := newScheduler(r.later)
	db := &fakeDB{allowed: allowed, begun: make(chan pebble.CompactionGrantHandle, 10)}
	s.Register(2, db)
	return s, db, r
}

// No more compactions run than are allowed, and one that waits begins when another ends.
func TestSchedulerSlots(t *testing.T) {
	s, db, _ := newFakeDB(2)
	var running []pebble.CompactionGrantHandle
	for range 2 {
		ok, h := s.TrySchedule()
		if !ok {
			t.Fatal("a slot is refused")
		}
		running = append(running, h)
	}
	db.wait(3)
	if ok, _ := s.TrySchedule(); ok {
		t.Fatal("a third slot is given")
	}
	for range 3 {
		running[0].Done()
		running = append(running[1:], <-db.begun)
	}
	for _, h := range running {
		h.Done()
	}
	s.Unregister()
	if ok, _ := s.TrySchedule(); ok {
		t.Error("a slot is given after the end")
	}
	if s.running != 0 || len(db.begun) != 0 {
		t.Errorf("%d slots are taken, %d more compactions have begun", s.running, len(db.begun))
	}
}

// Pebble picks a compaction while the granter has the only slot in its hands and is
// about to find that none waits: it begins all the same.
func TestSchedulerRefusesNobodyForEver(t *testing.T) {
	s, db, _ := newFakeDB(1)
	defer s.Unregister()
	db.looked = func() {
		if ok, _ := s.TrySchedule(); ok {
			t.Error("a second slot is given")
		}
		db.waiting++
	}
	s.UpdateGetAllowedWithoutPermission()
	(<-db.begun).Done()
}

// After a compaction that could not read none begins before the rest is over, and each
// rest is longer than the one before it, until one succeeds.
func TestSchedulerRests(t *testing.T) {
	s, db, later := newFakeDB(1)
	defer s.Unregister()
	damaged := errors.Join(storage.ErrCorrupt, errors.New("a block"))
	_, h := s.TrySchedule()
	var took []time.Duration
	for range 12 {
		db.wait(1)
		s.compacted(damaged)
		h.Done()
		rest := <-later
		took = append(took, rest.d)
		if ok, _ := s.TrySchedule(); ok || !s.restsFor(damaged) || s.restsFor(storage.ErrCorrupt) {
			t.Fatal("it does not rest for this error alone")
		}
		rest.fn()
		h = <-db.begun
	}
	ms := time.Millisecond
	want := []time.Duration{100 * ms, 200 * ms, 400 * ms, 800 * ms, 1600 * ms, 3200 * ms, 6400 * ms, 12800 * ms,
		25600 * ms, 30000 * ms, 30000 * ms, 30000 * ms}
	if !slices.Equal(took, want) {
		t.Errorf("the rests are %v, want %v", took, want)
	}
	s.compacted(errors.New("something else"))
	s.compacted(nil)
	s.compacted(damaged)
	if rest := <-later; rest.d != shortestRest {
		t.Errorf("after a success it rests for %v", rest.d)
	}
	h.Done()
}

// A damaged table in level 0 has every compaction fail, since Pebble picks it again at
// once. There is one for each rest and no more, and meanwhile the database goes on: it
// fills memtables, which takes Pebble's lock.
func TestCompactionsOfDamageRest(t *testing.T) {
	later := make(rests, 10)
	sh := smallSharing(later.later)
	damagedLevel0(t, sh)
	f := NewFault(nil)
	st := must.Get(sh.Open(f, "db", "damaged", func(*pebble.Options) {}))
	db := st.DB
	for n := range 5 {
		rest := <-later
		if want := shortestRest << n; rest.d != want {
			t.Errorf("rest %d lasts %v, want %v", n, rest.d, want)
		}
		fillTable(t, db, n)
		if n, got := int64(n+1), db.Metrics().Compact.FailedCount; n != got {
			t.Errorf("%d compactions have failed, want %d", got, n)
		}
		rest.fn()
	}
	must.Do(t, errors.Join(f.Err(), st.Close(f)))
	sh.Close()
}

// damagedLevel0 leaves a database with enough tables in level 0 for a compaction, of
// which one is damaged.
func damagedLevel0(t *testing.T, sh *Sharing) {
	t.Helper()
	f := NewFault(nil)
	st := must.Get(sh.Open(f, "db", "whole", func(o *pebble.Options) { o.DisableAutomaticCompactions = true }))
	for n := range 6 {
		fillTable(t, st.DB, n)
	}
	must.Do(t, st.Close(f))
	for _, path := range disktest.Look(t, sh.FS, "db", ".sst") {
		text := disktest.Read(t, sh.FS, path)
		if at := strings.Index(text, "body 3"); at >= 0 {
			disktest.Write(t, sh.FS, path, text[:at]+"?"+text[at+1:])
			return
		}
	}
	t.Fatal("the body is in no table")
}

// fillTable writes a table that overlaps with all others of its kind.
func fillTable(t *testing.T, db *pebble.DB, n int) {
	t.Helper()
	must.Do(t, errors.Join(
		db.Set([]byte{format.KeyRecord}, nil, pebble.NoSync),
		db.Set([]byte{format.KeyRecord, byte(n)}, fmt.Appendf(nil, "body %d", n), pebble.NoSync),
		db.Set([]byte{format.KeyRecord, 255}, nil, pebble.NoSync),
		db.Flush()))
}

// A full compaction gives up if another one has met damage, before it begins or while it
// waits: Pebble would prefer compactions of its own, which would meet it again for ever.
func TestFullCompactionGivesUp(t *testing.T) {
	sh := smallSharing(func(time.Duration, func()) {}) // the rest lasts
	f := NewFault(nil)
	d := must.Get(sh.Open(f, "db", "whole", func(*pebble.Options) {}))
	fillTable(t, d.DB, 1)
	if err := d.Compact(t.Context(), f); err != nil {
		t.Fatal("without damage: ", err)
	}
	damaged := errors.Join(storage.ErrCorrupt, errors.New("a block"))
	fillTable(t, d.DB, 2)
	slots := func(n int) {
		d.compactions.mu.Lock()
		d.compactions.running += n
		d.compactions.mu.Unlock()
	}
	slots(10) // all are taken
	ended := make(chan error, 1)
	go func() { ended <- d.Compact(t.Context(), f) }()
	for waits := false; !waits && len(ended) == 0; runtime.Gosched() {
		waits, _ = d.compactions.db.GetWaitingCompaction()
	}
	d.compactions.compacted(damaged)
	if err := <-ended; !errors.Is(err, damaged) {
		t.Errorf("while it waits: %v", err)
	}
	if err := d.Compact(t.Context(), f); !errors.Is(err, damaged) {
		t.Errorf("before it begins: %v", err)
	}
	slots(-10)
	must.Do(t, d.Close(f))
	sh.Close()
}

// smallSharing is for small databases in memory.
func smallSharing(later func(time.Duration, func())) *Sharing {
	return New(Config{
		FS: vfs.NewMem(), Cache: 1 << 20, Files: 100, Mem: 512 << 10, Table: 1 << 20, Base: 1 << 20, Manifest: 1 << 20,
		Shards: 1, Log: slog.New(slog.DiscardHandler), Later: later,
	})
}
