package locallog

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"beanfield/storage/must"
	"beanfield/storage/turns"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

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

// G1: the store trims while a record is being written, which the owner has given a place in a
// slot that would be free otherwise.
func TestTrimAmidAnAppend(t *testing.T) {
	var amid func()
	fs := errorfs.Wrap(vfs.NewMem(), errorfs.InjectorFunc(func(op errorfs.Op) error {
		if do := amid; do != nil && op.Kind == errorfs.OpFileWriteAt {
			amid = nil
			do()
		}
		return nil
	}))
	o := onPebbles(t, fs)
	l, _ := reopened(t, o, turns.Place{Origin: origin})
	mustAppend(t, l, "one")
	store := l.Place()
	amid = func() { l.Trim(store.Number) }
	mustAppend(t, l, "two")
	mustAppend(t, l, "three")
	if _, all := reopened(t, o, store); !slices.Equal(all, []string{"two", "three"}) {
		t.Errorf("%q are there", all)
	}
}

// G1: the process ends while it makes a slot, whose name is not durable yet. Whoever uses the
// slot afterwards can rely on it.
func TestUnfinishedSlot(t *testing.T) {
	fs := vfs.NewCrashableMem()
	o := onPebbles(t, fs)
	f := must.Get(fs.OpenReadWrite(fs.PathJoin(o.Dir, slotName(0)), vfs.WriteCategoryUnspecified))
	must.Get(f.WriteAt(make([]byte, o.Slot), 0))
	l, _ := reopened(t, o, turns.Place{Origin: origin})
	mustAppend(t, l, "one")
	o.FS = fs.CrashClone(vfs.CrashCloneCfg{})
	if _, all := reopened(t, o, turns.Place{Origin: origin}); !slices.Equal(all, []string{"one"}) {
		t.Errorf("%q are there", all)
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

// A slot that could not be made safe is the end of the log: what a failed sync has lost, a
// second one does not report.
func TestSlotThatCannotBeMade(t *testing.T) {
	bad := errors.New("the disk says no")
	failing := true
	o := onPebbles(t, errorfs.Wrap(vfs.NewMem(), errorfs.InjectorFunc(func(op errorfs.Op) error {
		if failing && op.Kind == errorfs.OpFileSync && strings.HasSuffix(op.Path, slotSuffix) {
			return bad
		}
		return nil
	})))
	l, _ := reopened(t, o, turns.Place{Origin: origin})
	if _, _, err := l.Append([]byte("one")); !errors.Is(err, bad) {
		t.Errorf("the first append: %v", err)
	}
	failing = false
	if _, _, err := l.Append([]byte("one")); !errors.Is(err, bad) {
		t.Errorf("afterwards: %v", err)
	}
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
