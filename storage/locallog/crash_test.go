package locallog

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"beanfield/storage"
	"beanfield/storage/effort"
	"beanfield/storage/must"
	"beanfield/storage/turns"
)

// world is a log, the store behind it, and what is known of both.
type world struct {
	t     *testing.T
	d     *disk
	l     *Log
	fold  *Reader
	store turns.Place // what the store has made durable
	said  []appended  // those that crashes took left out
	least int         // as many of them had been durable when the log said so
	path  string      // what was done, to find the way again
	// fresh turns differ from all before. Otherwise the same turns are appended again
	// after a crash took them, which makes records that are nearly the same.
	fresh bool
	count int
	epoch uint64
}

// appended is what the log was given, and the number that it said.
type appended struct {
	text   string
	number uint64
	at     turns.At // in this opening
}

const origin = 77

func newWorld(t *testing.T, fresh bool) *world {
	w := &world{t: t, d: newDisk(), store: turns.Place{Origin: origin}, fresh: fresh}
	must.Do(t, Create(w.options(), w.store))
	w.open()
	return w
}

// options of the tests: four slots with room for two small records each.
func (w *world) options() Options {
	return Options{FS: w.d, Dir: "log", Slot: 128, Slots: 4, Epoch: w.epoch}
}

// open opens the log and reads it. Everything that was durable must be there, in order, and
// nothing that was not appended (G1, G2). Whoever looks at the log before sees the same.
func (w *world) open() {
	looked, err := w.looksOnly(w.d)
	if err != nil {
		w.t.Fatalf("%s: read: %v", w.path, err)
	}
	w.epoch++
	if w.l, err = Open(w.options(), w.store); err != nil {
		w.t.Fatalf("%s: %v", w.path, err)
	}
	w.fold = w.l.Reader()
	i := slices.IndexFunc(w.said, func(a appended) bool { return a.number > w.store.Number })
	if i < 0 {
		i = len(w.said)
	}
	for ; ; i++ {
		b, at, behind, ok, err := w.fold.Next()
		switch {
		case err != nil:
			w.t.Fatalf("%s: %v", w.path, err)
		case !ok && i < w.least:
			w.t.Fatalf("%s: %d are left, and %d had been durable", w.path, i, w.least)
		case !ok:
			w.said, w.least = w.said[:i], i
			w.fold = w.l.Reader()
			if !slices.Equal(looked, w.behind()) {
				w.t.Fatalf("%s: read gave %v, open %v", w.path, looked, w.said)
			}
			w.readBack()
			return
		case i >= len(w.said) || string(b) != w.said[i].text || behind.Number != w.said[i].number:
			w.t.Fatalf("%s: %q came as number %d; appended were %v", w.path, b, behind.Number, w.said)
		default:
			w.said[i].at = at
		}
	}
}

// step does one thing: a appends turns that fit into a record, l turns that need more
// than one, s syncs, t has the store read all that is durable, and trims, and k kills the
// process: the system still has all that was written, and may or may not write it. o has it
// read and trim only what ends in the oldest slot, p prepares.
func (w *world) step(what rune) {
	w.path += string(what)
	defer w.readBack()
	switch what {
	case 'a':
		w.append(1)
	case 'l':
		w.append(10)
	case 's':
		if err := w.l.Sync(); err != nil {
			w.t.Fatalf("%s: %v", w.path, err)
		}
		w.least = len(w.said)
	case 'k':
		w.open()
	case 'p':
		if err := w.l.Prepare(); err != nil {
			w.t.Fatalf("%s: %v", w.path, err)
		}
	case 'o':
		w.trimOldest()
	case 't':
		for {
			_, _, behind, ok, err := w.fold.Next()
			if err != nil {
				w.t.Fatalf("%s: %v", w.path, err)
			}
			w.store = behind
			if !ok {
				break
			}
		}
		w.l.Trim(w.store.Number)
	}
}

// steps does one thing for each letter.
func (w *world) steps(word string) {
	for _, what := range word {
		w.step(what)
	}
}

// trimOldest has the store go to the end of the turns in the oldest slot, if that is durable,
// by skipping them.
func (w *world) trimOldest() {
	i := slices.IndexFunc(w.l.Segments(), func(s Segment) bool { return s.Behind.Number > w.store.Number })
	if i < 0 || w.l.Segments()[i].Behind.Number > w.l.Synced() {
		return
	}
	w.store = w.l.Segments()[i].Behind
	w.fold.SkipTo(w.store)
	w.l.Trim(w.store.Number)
	if left := w.l.Segments(); len(left) > 0 && left[0].First <= w.store.Number {
		w.t.Fatalf("%s: the store has record %d, and slots are %v", w.path, w.store.Number, left)
	}
}

// append appends turns of so many times eight bytes, if there is room.
func (w *world) append(times int) {
	b := fmt.Sprintf("%08d", len(w.said))
	if w.count++; w.fresh {
		b = fmt.Sprintf("new%05d", w.count)
	}
	b = strings.Repeat(b, times)
	switch number, at, err := w.l.Append([]byte(b)); {
	case err == nil:
		w.said = append(w.said, appended{b, number, at})
	case !errors.Is(err, storage.ErrNoSpace):
		w.t.Fatalf("%s: %v", w.path, err)
	}
}

// readBack reads from anywhere in all turns that the log has, synced or not.
func (w *world) readBack() {
	for _, a := range w.said {
		if a.number <= w.store.Number {
			continue
		}
		for from := 0; from < len(a.text); from += 7 {
			b := make([]byte, len(a.text)-from)
			err := w.l.ReadAt(a.at+turns.At(from), b)
			if err != nil || string(b) != a.text[from:] {
				w.t.Fatalf("%s: %q at %x reads as %q, %v", w.path, a.text, a.at, b, err)
			}
		}
	}
}

// after returns the world as a crash leaves it that keeps the pending sectors in the mask.
func (w *world) after(mask uint) *world {
	n := *w
	n.said = slices.Clone(w.said)
	n.d = w.d.crash(mask)
	n.path += fmt.Sprintf("|%b|", mask)
	n.open()
	return &n
}

// all is the mask of all pending sectors: what the end of the process leaves, or the
// system's writing in peace.
func (w *world) all() uint { return 1<<len(w.d.pending) - 1 }

// histories calls fn with all words of these letters up to a length.
func histories(letters string, most int, fn func(word string)) {
	var walk func(word string)
	walk = func(word string) {
		fn(word)
		if len(word) < most {
			for _, c := range letters {
				walk(word + string(c))
			}
		}
	}
	walk("")
}

// begun returns a world in which so many small records are durable and in the store.
func begun(t *testing.T, fresh bool, records int) *world {
	w := newWorld(t, fresh)
	for range records {
		w.steps("as")
	}
	w.step('t')
	return w.after(w.all())
}

// G1, G2: all short histories that end in a crash, with each set of sectors that can have
// reached the disk; and after each of the longest of them all that go on, and crash again.
// The number of pending sectors bounds the sets.
func TestEveryCrash(t *testing.T) {
	first, second := 4, 1
	if effort.Brief() {
		first, second = 3, 1
	}
	for _, fresh := range []bool{true, false} {
		var crashes, again int
		for records := range 3 {
			histories("alskto", first, func(word string) {
				w := begun(t, fresh, records)
				w.steps(word)
				if len(w.d.pending) > 7 {
					return
				}
				for mask := range w.all() + 1 {
					n := w.after(mask)
					crashes++
					if len(word) == first { // the longest have the others as beginnings
						again += n.goOn(second)
					}
				}
			})
		}
		t.Logf("%d crashes, %d more after them", crashes, again)
	}
}

// goOn continues a world that has crashed, in every way, up to another crash.
func (w *world) goOn(most int) (crashes int) {
	histories("ask", most, func(word string) {
		for _, word := range []string{word, "t" + word} {
			n := w.after(w.all())
			n.steps(word)
			if len(n.d.pending) > 5 {
				continue
			}
			for mask := range n.all() + 1 {
				n.after(mask)
				crashes++
			}
		}
	})
	return crashes
}
