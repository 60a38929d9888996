package locallog

import (
	"bytes"
	"errors"
	"path"
	"testing"

	"beanfield/storage"
)

// G3: a flipped bit anywhere in what had been durable, a zeroed sector, or a slot that is
// cut short or gone: the log refuses, or has lost nothing. When only the process has
// ended, the mark sees to that. Without the mark, later records do, for all that was
// durable when the last of them was written, if they are there themselves.
func TestDamage(t *testing.T) {
	var refused, kept int
	for _, word := range []string{"as", "asas", "aaasasas", "asasasasasas", "lsas", "alsals", "asasastasas", "asasaslsa", "aasaasa"} {
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
	n.d = newDisk()
	for other, c := range w.d.seen {
		n.d.seen[other] = bytes.Clone(c)
	}
	if n.d.seen[name] = bytes.Clone(content); content == nil {
		delete(n.d.seen, name)
	}
	n.epoch++
	refused := w.salvages(name, bytes.Clone(content), truth)
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
	for _, c := range "asasas" {
		w.step(c)
	}
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
	for _, c := range "asasasastasasas" {
		w.step(c)
	}
	behind := w.store
	behind.Number -= 4
	other := w.store
	other.Hash++
	for _, place := range []struct {
		what string
		at   func() (*Log, error)
	}{
		{"before the log's beginning", func() (*Log, error) { return Open(w.options(), behind) }},
		{"with another hash", func() (*Log, error) { return Open(w.options(), other) }},
	} {
		if _, err := place.at(); !errors.Is(err, storage.ErrCorrupt) {
			t.Errorf("a store %s: %v", place.what, err)
		}
	}
}
