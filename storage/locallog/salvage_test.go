package locallog

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"beanfield/storage"
	"beanfield/storage/effort"
	"beanfield/storage/must"
	"beanfield/storage/turns"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// link is what tells a record from all others.
type link struct{ number, hash uint64 }

// recordsIn are all that are anywhere in some files.
func recordsIn(files map[string][]byte) map[link]turns.Record {
	all := map[link]turns.Record{}
	for name, b := range files {
		if path.Base(name) == markName {
			continue
		}
		for at := 0; at < len(b); at += align {
			if r, hash, _, err := turns.Decode(b[at:]); err == nil && r.Origin == origin {
				all[link{r.Number, hash}] = r
			}
		}
	}
	return all
}

// truth is which records the turns have that a log gives behind its store's place, by number.
type truth map[uint64]fact

type fact struct {
	link
	rest bool // it goes on with turns
}

// truth walks back from the last record of an undamaged log.
func (w *world) truth() truth {
	t, all := truth{}, recordsIn(w.d.seen)
	for one := (link{w.l.Place().Number, w.l.Place().Hash}); one.number > 0; one = (link{one.number - 1,
		all[one].Before}) {
		t[one.number] = fact{one, all[one].Rest}
	}
	return t
}

// readable says whether all records of the turns that end in a record can be read.
func (t truth) readable(number uint64, found map[link]turns.Record) bool {
	for n := number; ; n-- {
		if _, ok := found[t[n].link]; !ok {
			return false
		}
		if !t[n].rest {
			return true
		}
	}
}

// salvaged is what Salvage gives and tells.
func salvaged(t *testing.T, fs vfs.FS, from turns.Place) (all []appended, told []string) {
	t.Helper()
	must.Do(t, Salvage(fs, "log", from, func(number uint64, b []byte) error {
		all = append(all, appended{text: string(b), number: number})
		return nil
	}, func(file string, at int64, why string) {
		told = append(told, fmt.Sprintf("%s at %d: %s", file, at, why))
	}))
	return all, told
}

// looksOnly reads a log without opening it, which changes nothing, and returns what Open
// would give.
func (w *world) looksOnly(d *disk) (all []appended, err error) {
	before, pending := maps.Clone(d.seen), len(d.pending)
	_, err = Read(d, "log", w.store, func(b []byte, at turns.At, behind turns.Place) error {
		all = append(all, appended{text: string(b), number: behind.Number, at: at})
		return nil
	})
	if !maps.EqualFunc(before, d.seen, bytes.Equal) || len(d.pending) != pending {
		w.t.Fatalf("%s: a look has changed the disk", w.path)
	}
	return all, err
}

// behind is what has been said and the store does not have.
func (w *world) behind() []appended {
	i := slices.IndexFunc(w.said, func(a appended) bool { return a.number > w.store.Number })
	if i < 0 {
		return nil
	}
	return w.said[i:]
}

// salvages damages a file of the world, and salvages it. What is given is as it was
// appended, in order. Of the turns that were durable, and can be read, none is left out, and
// nothing is told if nothing is refused.
func (w *world) salvages(name string, bad []byte, truth truth) (refused bool) {
	d := w.d.with(name, bad)
	read, err := w.looksOnly(d)
	given, told := salvaged(w.t, d, w.store)
	if refused = err != nil; refused != (len(told) > 0) {
		w.t.Fatalf("%s: %s damaged: read says %v, salvage %q", w.path, name, err, told)
	}
	same := func(a, b appended) bool { return a.text == b.text && a.number == b.number }
	if !refused {
		if !slices.EqualFunc(given, read, same) {
			w.t.Fatalf("%s: %s damaged: %v is salvaged, %v read", w.path, name, given, read)
		}
		return false
	}
	found := recordsIn(d.seen)
	for i, a := range w.behind() {
		if len(given) > 0 && same(given[0], a) {
			given = given[1:]
			continue
		}
		if i < w.least-(len(w.said)-len(w.behind())) && truth.readable(a.number, found) {
			w.t.Fatalf("%s: %s damaged: %v is left out; told is %q", w.path, name, a, told)
		}
	}
	if len(given) > 0 {
		w.t.Fatalf("%s: %s damaged: %v is given; said was %v; told is %q", w.path, name, given, w.said, told)
	}
	return true
}

// G3: what can be read of a damaged log is given, and nothing else: not what an earlier
// opening left behind a torn record, nor what the store has already.
func TestSalvageAfterCrashes(t *testing.T) {
	first := 4
	if effort.Brief() {
		first = 3
	}
	var refused, sound int
	histories("als", first, func(word string) {
		for _, later := range []string{"as", "aas", "asas", "lsas", "aaasas"} {
			w := begun(t, true, 1)
			w.steps(word)
			if len(w.d.pending) > 7 {
				continue
			}
			for mask := range w.all() + 1 {
				n := w.after(mask)
				n.steps(later)
				truth := n.truth()
				for name, content := range n.d.seen {
					for at := 0; at < len(content); at += 2 * sector {
						bad := bytes.Clone(content)
						clear(bad[at:min(at+sector, len(bad))])
						if n.salvages(name, bad, truth) {
							refused++
						} else {
							sound++
						}
					}
				}
			}
		}
	})
	t.Logf("%d were refused, %d were not", refused, sound)
}

// A block that the disk does not give is damage like any other for Salvage, and an error for
// all who rely on the log.
func TestSalvageOfUnreadableBlocks(t *testing.T) {
	bad := errors.New("the disk says no")
	var failing, shut bool
	fs := errorfs.Wrap(vfs.NewMem(), errorfs.InjectorFunc(func(op errorfs.Op) error {
		if shut && op.Kind == errorfs.OpOpen && strings.HasSuffix(op.Path, slotSuffix) ||
			failing && op.Kind == errorfs.OpFileReadAt && op.Offset < block && strings.HasSuffix(op.Path, slotSuffix) {
			return bad
		}
		return nil
	}))
	o := onPebbles(t, fs)
	l, _ := reopened(t, o, turns.Place{Origin: origin})
	for i := range 9 {
		mustAppend(t, l, strings.Repeat(fmt.Sprint(i), 999))
	}
	must.Do(t, l.Close())
	failing = true
	if _, err := Open(o, turns.Place{Origin: origin}); !errors.Is(err, bad) {
		t.Errorf("open: %v", err)
	}
	given, told := salvaged(t, fs, turns.Place{Origin: origin})
	var got []string
	for _, a := range given {
		got = append(got, fmt.Sprintf("%d:%s", a.number, a.text[:1]))
	}
	// The first block of each slot is gone: three records and a part of the fourth.
	if want := []string{"5:4", "6:5", "7:6"}; !slices.Equal(got, want) {
		t.Errorf("%q are salvaged, %q told", got, told)
	}
	if len(told) != 4 { // two blocks, and what is missing before and behind
		t.Errorf("told is %q", told)
	}
	if _, err := Read(fs, o.Dir, turns.Place{Origin: origin}, nil); !errors.Is(err, bad) ||
		errors.Is(err, storage.ErrCorrupt) {
		t.Errorf("read: %v", err)
	}
	failing, shut = false, true
	if _, err := Open(o, turns.Place{Origin: origin}); !errors.Is(err, bad) {
		t.Errorf("open of a slot: %v", err)
	}
}
