package locallog

import (
	"bytes"
	"errors"
	"path"
	"testing"

	"beanfield/storage"
	"beanfield/storage/turns"
)

// G3: a flipped bit anywhere in what had been durable, a zeroed sector, or a slot that is
// cut short or gone: the log refuses, or has lost nothing. When only the process has
// ended, the mark sees to that. Without the mark, later records do, for all that was
// durable when the last of them was written, if they are there themselves.
func TestDamage(t *testing.T) {
	var refused, kept int
	for _, word := range []string{"as", "asas", "aaasasas", "asasasasasas", "lsas", "alsals", "asasastasas",
		"asasaslsa", "aasaasa"} {
		for _, marked := range []bool{true, false} {
			w := newWorld(t, true)
			claimed := 0
			for _, c := range word {
				if c == 'a' || c == 'l' {
					claimed = w.least
				}
				w.step(c)
			}
			if !marked {
				delete(w.d.seen, path.Join("log", markName))
				w.least = claimed
			}
			truth := w.truth()
			for name, content := range w.d.seen {
				if path.Base(name) == markName {
					continue
				}
				for _, bad := range spoiled(content) {
					if !marked && len(bad) < len(content) {
						continue
					}
					if w.survives(name, bad, truth) {
						kept++
					} else {
						refused++
					}
				}
			}
		}
	}
	t.Logf("%d were refused, %d had lost nothing", refused, kept)
	if refused == 0 || kept == 0 {
		t.Error("only one of the two happens")
	}
}

// spoiled returns a file with damage, in many ways. An empty one is a lost one.
func spoiled(content []byte) (all [][]byte) {
	for i := range content {
		bad := bytes.Clone(content)
		bad[i] ^= 1 << (i % 8)
		all = append(all, bad)
	}
	for i := 0; i < len(content); i += sector {
		bad := bytes.Clone(content)
		clear(bad[i : i+sector])
		all = append(all, bad)
	}
	return append(all, content[:len(content)/2], nil)
}

// survives opens the world with another content of a file. It reports false if the log was
// refused; if not, everything that was durable must be there.
func (w *world) survives(name string, content []byte, truth truth) bool {
	n := *w
	n.d = w.d.with(name, content)
	n.epoch++
	refused := w.salvages(name, content, truth)
	_, err := Open(n.options(), n.store)
	if (err != nil) != refused {
		w.t.Fatalf("%s: %s damaged: open says %v, read refuses: %v", w.path, name, err, refused)
	}
	if err == nil {
		n.said = append([]appended(nil), w.said...)
		n.open()
		return true
	}
	if !errors.Is(err, storage.ErrCorrupt) {
		w.t.Fatalf("%s: %s damaged: %v", w.path, name, err)
	}
	return false
}

// A mark that cannot be read, or of another log, is no reason to refuse anything.
func TestDamagedMark(t *testing.T) {
	w := newWorld(t, true)
	w.steps("asasas")
	name, truth := path.Join("log", markName), w.truth()
	for _, bad := range spoiled(w.d.seen[name]) {
		if !w.survives(name, bad, truth) {
			t.Errorf("a mark of %q is a reason to refuse the log", bad)
		}
	}
}

// A log that is not the store's, or begins behind the place where the store stands, is
// refused.
func TestWrongStore(t *testing.T) {
	w := newWorld(t, true)
	w.steps("asasasastasasas")
	behind := w.store
	behind.Number -= 4
	other := w.store
	other.Hash++
	for what, place := range map[string]turns.Place{"before the log's beginning": behind, "with another hash": other} {
		if _, err := Open(w.options(), place); !errors.Is(err, storage.ErrCorrupt) {
			t.Errorf("a store %s: %v", what, err)
		}
	}
}
