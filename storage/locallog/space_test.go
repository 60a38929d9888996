package locallog

import (
	"errors"
	"slices"
	"strings"
	"syscall"
	"testing"

	"beanfield/storage"
	"beanfield/storage/must"
	"beanfield/storage/turns"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// slotsOf lists the slots of a log on the disk.
func slotsOf(t *testing.T, o Options) (names []string) {
	t.Helper()
	names = must.Get(o.FS.List(o.Dir))
	return slices.DeleteFunc(names, func(name string) bool { return !strings.HasSuffix(name, slotSuffix) })
}

// Turns that are longer than the whole log are refused while anything is in use. When all is
// free they make it longer, until they have been trimmed.
func TestTurnsLongerThanTheLog(t *testing.T) {
	o := onPebbles(t, vfs.NewMem())
	l, _ := reopened(t, o, turns.Place{Origin: origin})
	long := strings.Repeat("0123456789abcde", 6000)
	mustAppend(t, l, "one")
	if _, _, err := l.Append([]byte(long)); !errors.Is(err, storage.ErrNoSpace) {
		t.Fatalf("beside other turns: %v", err)
	}
	mustAppend(t, l, "two")
	l.Trim(l.Place().Number)
	before := l.Place()
	_, at, err := l.Append([]byte(long))
	if err != nil {
		t.Fatal(err)
	}
	got := make([]byte, len(long)-30000)
	if err := l.ReadAt(at+30000, got); err != nil || string(got) != long[30000:] {
		t.Errorf("the end of the turns: %v", err)
	}
	must.Do(t, l.Sync())
	// Wherever the fold stops before them, it stops before the first of their parts.
	for i, s := range l.Segments() {
		if last := len(l.Segments()) - 1; i < last && s.Behind != before || i == last && s.Behind != l.Place() {
			t.Errorf("slot %d is %+v", i, s)
		}
	}
	if _, all := reopened(t, o, before); !slices.Equal(all, []string{long}) {
		t.Errorf("%d turns are there", len(all))
	}
	if err := l.Prepare(); err != nil || len(slotsOf(t, o)) != 2 {
		t.Errorf("%v are there (%v), want one for all of the long turns, and one more", slotsOf(t, o), err)
	}
	l.Trim(l.Place().Number)
	if err := l.Prepare(); err != nil || len(slotsOf(t, o)) != 1 {
		t.Errorf("%v are left, %v", slotsOf(t, o), err)
	}
	if err := l.ReadAt(at, got); !errors.Is(err, ErrGone) {
		t.Errorf("what has been trimmed: %v", err)
	}
	mustAppend(t, l, "three")
}

// Append makes slots only if Prepare has not: one is free after each call, up to Slots.
func TestPreparedSlots(t *testing.T) {
	o := onPebbles(t, vfs.NewMem())
	l, _ := reopened(t, o, turns.Place{Origin: origin})
	for used := range o.Slots {
		for range 2 {
			must.Do(t, l.Prepare())
		}
		if n := len(slotsOf(t, o)); n != used+1 {
			t.Fatalf("%d slots, of which %d are used", n, used)
		}
		mustAppend(t, l, strings.Repeat("x", 8000))
		if got, of := l.Used(); got != used+1 || of != o.Slots || len(slotsOf(t, o)) != got {
			t.Fatalf("%d of %d slots are used, and %v are there", got, of, slotsOf(t, o))
		}
	}
	if err := l.Prepare(); err != nil || len(slotsOf(t, o)) != o.Slots {
		t.Errorf("%v are there, %v", slotsOf(t, o), err)
	}
}

// A disk without room for another slot breaks nothing: the log says that it is full, to
// Append and to Prepare, and takes turns again when there is room. One that is opened then
// uses what it has.
func TestFullDisk(t *testing.T) {
	var full bool
	fs := errorfs.Wrap(vfs.NewMem(), errorfs.InjectorFunc(func(op errorfs.Op) error {
		if full && op.Kind == errorfs.OpFileSync && strings.HasSuffix(op.Path, slotSuffix) {
			return syscall.ENOSPC
		}
		return nil
	}))
	o := onPebbles(t, fs)
	l, _ := reopened(t, o, turns.Place{Origin: origin})
	text := strings.Repeat("x", 5000)
	mustAppend(t, l, text)
	full = true
	if _, _, err := l.Append([]byte(text)); !errors.Is(err, storage.ErrNoSpace) {
		t.Errorf("append: %v", err)
	}
	if err := l.Prepare(); !errors.Is(err, storage.ErrNoSpace) {
		t.Errorf("prepare: %v", err)
	}
	if n := len(slotsOf(t, o)); n != 1 {
		t.Errorf("%d slots are there", n)
	}
	mustAppend(t, l, "short")
	// An unfinished slot, as a crash leaves it.
	f, err := fs.OpenReadWrite(fs.PathJoin(o.Dir, slotName(1)), vfs.WriteCategoryUnspecified)
	if err != nil || f.Close() != nil {
		t.Fatal(err)
	}
	l, all := reopened(t, o, turns.Place{Origin: origin})
	if !slices.Equal(all, []string{text, "short"}) {
		t.Errorf("%d turns are there", len(all))
	}
	if _, _, err := l.Append([]byte(text)); !errors.Is(err, storage.ErrNoSpace) {
		t.Errorf("append: %v", err)
	}
	full = false
	mustAppend(t, l, text)
	o.Epoch++
	if _, all := reopened(t, o, turns.Place{Origin: origin}); !slices.Equal(all, []string{text, "short", text}) {
		t.Errorf("%d turns are there", len(all))
	}
}

// Slots may be made longer or shorter, and more or fewer, between two runs.
func TestOtherSlots(t *testing.T) {
	o := onPebbles(t, vfs.NewMem())
	l, want := reopened(t, o, turns.Place{Origin: origin})
	for i, next := range []struct {
		slot  int64
		slots int
	}{{3 << 10, 9}, {20 << 10, 4}, {1 << 10, 30}, {5 << 10, 2}} {
		for n := 0; ; n++ {
			text := strings.Repeat(string(rune('a'+i)), 900+n*700)
			if _, _, err := l.Append([]byte(text)); errors.Is(err, storage.ErrNoSpace) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			want = append(want, text)
		}
		must.Do(t, l.Close())
		o.Slot, o.Slots, o.Epoch = next.slot, next.slots, o.Epoch+1
		var all []string
		if l, all = reopened(t, o, turns.Place{Origin: origin}); !slices.Equal(all, want) {
			t.Fatalf("%d turns are there, %d were appended", len(all), len(want))
		}
	}
	l.Trim(l.Place().Number)
	if err := l.Prepare(); err != nil || len(slotsOf(t, o)) != o.Slots {
		t.Errorf("%v are left, %v", slotsOf(t, o), err)
	}
}

// A log begins with a mark. One without slots is sound if its mark names the store's place,
// and a directory without both is none.
func TestLogOfAMarkAlone(t *testing.T) {
	fs := vfs.NewCrashableMem()
	place := turns.Place{Origin: origin, Number: 7, Hash: 8}
	o := Options{FS: fs, Dir: "data/log", Slot: 8 << 10, Slots: 2, Epoch: 1}
	refused := func(what string, from turns.Place) {
		t.Helper()
		_, opened := Open(o, from)
		_, read := Read(o.FS, o.Dir, from, nil)
		told := 0
		salvaged := Salvage(o.FS, o.Dir, from, nil, func(string, int64, string) { told++ })
		if !errors.Is(opened, storage.ErrCorrupt) || !errors.Is(read, storage.ErrCorrupt) || salvaged != nil ||
			told != 1 {
			t.Errorf("%s: open says %v, read %v, salvage %v and told %d", what, opened, read, salvaged, told)
		}
	}
	refused("no directory", place)
	must.Do(t, fs.MkdirAll("data", 0o700))
	root, err := fs.OpenDir("")
	if err != nil || root.Sync() != nil || fs.MkdirAll(o.Dir, 0o700) != nil {
		t.Fatal(err)
	}
	refused("an empty directory", place)
	for range 2 {
		must.Do(t, Create(o, place))
	}
	o.FS = fs.CrashClone(vfs.CrashCloneCfg{})
	for _, other := range []turns.Place{{Origin: origin, Number: 6}, {Origin: origin, Number: 8},
		{Origin: 1, Number: 7}} {
		refused("the mark of another place", other)
	}
	if behind, err := Read(o.FS, o.Dir, place, nil); err != nil || behind != place {
		t.Errorf("read: %v, %v", behind, err)
	}
	l, all := reopened(t, o, place)
	mustAppend(t, l, "eight")
	if err := errors.Join(l.Close(), l.Close()); len(all) != 0 || l.Place().Number != 8 || err != nil {
		t.Errorf("%v, %v, %v", all, l.Place(), err)
	}
}
