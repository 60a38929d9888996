package locallog

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"beanfield/storage/must"
	"beanfield/storage/turns"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// onPebbles are options for a log on one of Pebble's file systems.
func onPebbles(t *testing.T, fs vfs.FS) Options {
	t.Helper()
	o := Options{FS: fs, Dir: "log", Slot: 8 << 10, Slots: 4, Epoch: rand.Uint64()}
	must.Do(t, Create(o, turns.Place{Origin: origin}))
	return o
}

// readAll returns all turns that a log gives its store.
func readAll(t *testing.T, l *Log) (all []string, place turns.Place) {
	t.Helper()
	r := l.Reader()
	for {
		b, _, behind, ok, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			return all, behind
		}
		all = append(all, string(b))
	}
}

// After the first error of the disk, also while a slot is made, nothing is appended, and nothing that was not durable
// before is ever called durable.
func TestFailingDisk(t *testing.T) {
	bad := errors.New("the disk says no")
	for _, kind := range []errorfs.OpKind{errorfs.OpFileWriteAt, errorfs.OpFileSyncData, errorfs.OpFileSync} {
		var failing bool
		fs := errorfs.Wrap(vfs.NewMem(), errorfs.InjectorFunc(func(op errorfs.Op) error {
			if failing && op.Kind == kind {
				return bad
			}
			return nil
		}))
		l := must.Get(Open(onPebbles(t, fs), turns.Place{Origin: origin}))
		mustAppend(t, l, "one")
		failing = true
		_, _, written := l.Append(bytes.Repeat([]byte("two"), 5000)) // needs another slot
		if synced := l.Sync(); !errors.Is(synced, bad) || written != nil && !errors.Is(written, bad) {
			t.Errorf("%v: %v, %v", kind, written, synced)
		}
		failing = false
		if _, _, err := l.Append([]byte("three")); !errors.Is(err, bad) {
			t.Errorf("%v: afterwards: %v", kind, err)
		}
		if err := l.Sync(); !errors.Is(err, bad) {
			t.Errorf("%v: afterwards: %v", kind, err)
		}
		if all, _ := readAll(t, l); !slices.Equal(all, []string{"one"}) {
			t.Errorf("%v: durable are %q", kind, all)
		}
		if err := l.Close(); !errors.Is(err, bad) {
			t.Errorf("%v: close: %v", kind, err)
		}
	}
}

// reopened opens a log again and reads it.
func reopened(t *testing.T, o Options, from turns.Place) (*Log, []string) {
	t.Helper()
	o.Epoch++
	l := must.Get(Open(o, from))
	all, _ := readAll(t, l)
	return l, all
}

// mustAppend appends turns and syncs.
func mustAppend(t *testing.T, l *Log, text string) {
	t.Helper()
	if _, _, err := l.Append([]byte(text)); err != nil {
		t.Fatal(err)
	}
	must.Do(t, l.Sync())
}

// interrupted is a disk on which *amid is called, once, amid the next operation of a kind.
func interrupted(kind errorfs.OpKind) (fs vfs.FS, amid *func()) {
	amid = new(func())
	return errorfs.Wrap(vfs.NewMem(), errorfs.InjectorFunc(func(op errorfs.Op) error {
		if do := *amid; do != nil && op.Kind == kind {
			*amid = nil
			do()
		}
		return nil
	})), amid
}

// G1: the store trims while a record is being written, which the owner has given a place in a
// slot that would be free otherwise.
func TestTrimAmidAnAppend(t *testing.T) {
	fs, amid := interrupted(errorfs.OpFileWriteAt)
	o := onPebbles(t, fs)
	l, _ := reopened(t, o, turns.Place{Origin: origin})
	mustAppend(t, l, "one")
	store := l.Place()
	*amid = func() { l.Trim(store.Number) }
	mustAppend(t, l, "two")
	mustAppend(t, l, "three")
	if _, all := reopened(t, o, store); !slices.Equal(all, []string{"two", "three"}) {
		t.Errorf("%q are there", all)
	}
}

// G1: whoever uses a new slot can rely on it, also if the process before has ended while it made the
// slot, whose name was not durable yet.
func TestUnfinishedSlot(t *testing.T) {
	for _, begun := range []bool{false, true} {
		fs := vfs.NewCrashableMem()
		o := onPebbles(t, fs)
		if begun {
			f := must.Get(fs.OpenReadWrite(fs.PathJoin(o.Dir, slotName(0)), vfs.WriteCategoryUnspecified))
			must.Get(f.WriteAt(make([]byte, o.Slot), 0))
		}
		l, _ := reopened(t, o, turns.Place{Origin: origin})
		mustAppend(t, l, "one")
		o.FS = fs.CrashClone(vfs.CrashCloneCfg{})
		if _, all := reopened(t, o, turns.Place{Origin: origin}); !slices.Equal(all, []string{"one"}) {
			t.Errorf("%q are there", all)
		}
	}
}

// G1: a slot is cut off right behind its last record, amid the padding. The log goes on
// where a reader looks for the next record.
func TestSlotCutInThePadding(t *testing.T) {
	fs := vfs.NewMem()
	o := onPebbles(t, fs)
	l, _ := reopened(t, o, turns.Place{Origin: origin})
	mustAppend(t, l, "x")
	name := fs.PathJoin(o.Dir, slotName(0))
	b := make([]byte, turns.Overhead+1)
	f := must.Get(fs.Open(name))
	must.Get(f.ReadAt(b, 0))
	f = must.Get(fs.Create(name, vfs.WriteCategoryUnspecified))
	must.Get(f.Write(b))
	l, _ = reopened(t, o, turns.Place{Origin: origin})
	mustAppend(t, l, "y")
	o.Epoch++
	if _, all := reopened(t, o, turns.Place{Origin: origin}); !slices.Equal(all, []string{"x", "y"}) {
		t.Errorf("%q are there", all)
	}
}

// G1: after a sync that failed, the system takes its pages for written and shows them to the
// next process. That one writes again what it relies on.
func TestRestartAfterAFailedSync(t *testing.T) {
	w := newWorld(t, true)
	w.step('a')
	w.d.failing = true
	if err := w.l.Sync(); !errors.Is(err, errDisk) {
		t.Fatal(err)
	}
	w.d.failing = false
	if w.open(); w.least != 1 {
		t.Fatalf("%d turns are there", w.least)
	}
	w.after(0)
}

// Parts of turns whose last part a crash took hold no room for ever: the store may trim up to
// the place where the reader has stopped.
func TestVoidPartsAreTrimmed(t *testing.T) {
	fs := vfs.NewMem()
	o := onPebbles(t, fs)
	l, _ := reopened(t, o, turns.Place{Origin: origin})
	long := make([]byte, 30<<10) // needs all slots
	if _, _, err := l.Append(long); err != nil {
		t.Fatal(err)
	}
	f, err := fs.OpenReadWrite(fs.PathJoin(o.Dir, slotName(3)), vfs.WriteCategoryUnspecified)
	if err != nil {
		t.Fatal(err)
	}
	must.Get(f.WriteAt(make([]byte, 100), 0))
	l, all := reopened(t, o, turns.Place{Origin: origin})
	_, _, behind, ok, err := l.Reader().Next()
	if len(all) != 0 || ok || err != nil {
		t.Fatalf("%d turns are there, %v, %v", len(all), ok, err)
	}
	l.Trim(behind.Number)
	mustAppend(t, l, string(long))
	o.Epoch++
	if _, all := reopened(t, o, behind); len(all) != 1 || len(all[0]) != len(long) {
		t.Errorf("%d turns are there", len(all))
	}
}
