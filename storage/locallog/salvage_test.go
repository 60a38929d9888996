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
	"beanfield/storage/must"
	"beanfield/storage/turns"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// link is what tells a record from all others.
type link struct{ number, hash uint64 }

// links returns all records that are anywhere in some files, and which of them go on with
// turns.
func links(files map[string][]byte) map[link]bool {
	all := map[link]bool{}
	for name, b := range files {
		if path.Base(name) == markName {
			continue
		}
		for at := 0; at < len(b); at += align {
			if r, hash, _, err := turns.Decode(b[at:]); err == nil && r.Origin == origin {
				all[link{r.Number, hash}] = r.Rest
			}
		}
	}
	return all
}

// truth is which records the turns have that a log gives behind its store's place.
type truth struct {
	links map[uint64]link // by number
	rest  map[uint64]bool
}

// truthOf walks back from the last record of an undamaged log.
func truthOf(files map[string][]byte, last turns.Place) truth {
	t := truth{map[uint64]link{}, map[uint64]bool{}}
	before := map[link]uint64{}
	for _, b := range files {
		for at := 0; at < len(b); at += align {
			if r, hash, _, err := turns.Decode(b[at:]); err == nil && r.Origin == origin {
				before[link{r.Number, hash}] = r.Before
			}
		}
	}
	rest := links(files)
	for n, hash := last.Number, last.Hash; n > 0; n-- {
		one := link{n, hash}
		t.links[n], t.rest[n] = one, rest[one]
		hash = before[one]
	}
	return t
}

// readable says whether all records of the turns that end in a record can be read.
func (t truth) readable(number uint64, found map[link]bool) bool {
	for n := number; ; n-- {
		if _, ok := found[t.links[n]]; !ok {
			return false
		}
		if !t.rest[n] {
			return true
		}
	}
}

// salvaged is what Salvage gives and tells.
func (w *world) salvaged(d *disk) (all []appended, told []string) {
	err := Salvage(d, "log", w.store, func(number uint64, b []byte) error {
		all = append(all, appended{text: string(b), number: number})
		return nil
	}, func(file string, at int64, why string) {
		told = append(told, fmt.Sprintf("%s at %d: %s", file, at, why))
	})
	if err != nil {
		w.t.Fatalf("%s: salvage: %v", w.path, err)
	}
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
	d := newDisk()
	for other, c := range w.d.seen {
		d.seen[other] = bytes.Clone(c)
	}
	if d.seen[name] = bad; bad == nil {
		delete(d.seen, name)
	}
	read, err := w.looksOnly(d)
	given, told := w.salvaged(d)
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
	found := links(d.seen)
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

// truth of the world as it is.
func (w *world) truth() truth { return truthOf(w.d.seen, w.l.Place()) }

// G3: what can be read of a damaged log is given, and nothing else: not what an earlier
// opening left behind a torn record, nor what the store has already.
func TestSalvageAfterCrashes(t *testing.T) {
	first := 4
	if testing.Short() || raced {
		first = 3
	}
	var refused, sound int
	histories("als", first, func(word string) {
		for _, later := range []string{"as", "aas", "asas", "lsas", "aaasas"} {
			w := begun(t, true, 1)
			for _, c := range word {
				w.step(c)
			}
			if len(w.d.pending) > 7 {
				continue
			}
			for mask := range w.all() + 1 {
				n := w.after(mask)
				for _, c := range later {
					n.step(c)
				}
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
	var failing bool
	fs := errorfs.Wrap(vfs.NewMem(), errorfs.InjectorFunc(func(op errorfs.Op) error {
		if failing && op.Kind == errorfs.OpFileReadAt && op.Offset < block && strings.HasSuffix(op.Path, slotSuffix) {
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
	var got, told []string
	err := Salvage(fs, o.Dir, turns.Place{Origin: origin}, func(number uint64, b []byte) error {
		got = append(got, fmt.Sprintf("%d:%s", number, b[:1]))
		return nil
	}, func(file string, at int64, why string) { told = append(told, fmt.Sprint(file, at, why)) })
	// The first block of each slot is gone: three records and a part of the fourth.
	if want := []string{"5:4", "6:5", "7:6"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%q are salvaged (%v), %q told", got, err, told)
	}
	if len(told) != 4 { // two blocks, and what is missing before and behind
		t.Errorf("told is %q", told)
	}
	if _, err := Read(fs, o.Dir, turns.Place{Origin: origin}, nil); !errors.Is(err, bad) || errors.Is(err, storage.ErrCorrupt) {
		t.Errorf("read: %v", err)
	}
}
