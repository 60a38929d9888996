package locallog

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"beanfield/storage"
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

// owner is a log on a disk whose power fails now and then, and its store.
type owner struct {
	t       *testing.T
	r       *rand.Rand
	l       *Log
	fold    turns.Reader
	store   turns.Place
	said    []string // what was appended; the store has read the first so many
	folded  int
	durable int
}

// open opens the log and reads it: what was durable is there, and nothing else.
func (w *owner) open(o Options) {
	var err error
	if w.l, err = Open(o, w.store); err != nil {
		w.t.Fatal(err)
	}
	all, _ := readAll(w.t, w.l)
	if n := w.folded + len(all); n < w.durable || n > len(w.said) || !slices.Equal(all, w.said[w.folded:n]) {
		w.t.Fatalf("%d turns after %d, and %d of %d had been durable", len(all), w.folded, w.durable, len(w.said))
	}
	w.said = w.said[:w.folded+len(all)]
	w.durable = len(w.said)
	w.fold = w.l.Reader()
}

// work appends turns, and syncs and trims now and then.
func (w *owner) work() {
	b := bytes.Repeat([]byte{byte(w.r.Uint32())}, 1+w.r.IntN(1<<w.r.IntN(14)))
	switch _, _, err := w.l.Append(b); {
	case err == nil:
		w.said = append(w.said, string(b))
	case !errors.Is(err, storage.ErrNoSpace):
		w.t.Fatal(err)
	}
	if w.r.IntN(3) > 0 {
		return
	}
	must.Do(w.t, w.l.Sync())
	if w.durable = len(w.said); w.r.IntN(3) > 0 {
		return
	}
	for {
		_, _, behind, ok, err := w.fold.Next()
		if err != nil {
			w.t.Fatal(err)
		}
		w.store = behind
		if !ok {
			break
		}
		w.folded++
	}
	w.l.Trim(w.store.Number)
}

// G1, G2: also while slots are made, with records of all lengths, and on a disk with blocks
// of its own. The power fails at any moment.
func TestPowerCuts(t *testing.T) {
	for seed := range uint64(100) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 0))
			fs := vfs.NewCrashableMem()
			o := onPebbles(t, fs)
			w := owner{t: t, r: r, store: turns.Place{Origin: origin}}
			for range 4 {
				o.FS, o.Epoch = fs, r.Uint64()
				w.open(o)
				for range r.IntN(60) {
					w.work()
				}
				fs = fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: r.IntN(101), RNG: r})
			}
		})
	}
}

// A log that is full says so, loses nothing, and has room again after a Trim. Turns that
// are longer than the whole log are refused in the same way.
func TestFullLog(t *testing.T) {
	l := must.Get(Open(onPebbles(t, vfs.NewMem()), turns.Place{Origin: origin}))
	var want []string
	for i := 0; ; i++ {
		b := fmt.Sprintf("%0999d", i)
		if _, _, err := l.Append([]byte(b)); errors.Is(err, storage.ErrNoSpace) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		want = append(want, b)
	}
	must.Do(t, l.Sync())
	got, place := readAll(t, l)
	if !slices.Equal(got, want) || len(want) < 28 {
		t.Fatalf("%d turns were read, %d appended", len(got), len(want))
	}
	if _, _, err := l.Append(make([]byte, 64<<10)); !errors.Is(err, storage.ErrNoSpace) {
		t.Errorf("turns longer than the log: %v", err)
	}
	l.Trim(place.Number)
	if _, _, err := l.Append(make([]byte, 30<<10)); err != nil {
		t.Errorf("turns nearly as long as the log, when all of it is free: %v", err)
	}
	must.Do(t, l.Close())
}

// After the first error of the disk nothing is appended, and nothing that was not durable
// before is ever called durable.
func TestFailingDisk(t *testing.T) {
	bad := errors.New("the disk says no")
	for _, kind := range []errorfs.OpKind{errorfs.OpFileWriteAt, errorfs.OpFileSyncData} {
		var failing bool
		fs := errorfs.Wrap(vfs.NewMem(), errorfs.InjectorFunc(func(op errorfs.Op) error {
			if failing && op.Kind == kind {
				return bad
			}
			return nil
		}))
		l := must.Get(Open(onPebbles(t, fs), turns.Place{Origin: origin}))
		if _, _, err := l.Append([]byte("one")); err != nil {
			t.Fatal(err)
		}
		must.Do(t, l.Sync())
		failing = true
		_, _, written := l.Append([]byte("two"))
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
