package pebblestore

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"beanfield/storage"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// What is written is found as it was written, with nothing but zeros behind it,
// or, in a file that is used again, what was there before.
func TestAheadFile(t *testing.T) {
	for seed := range uint64(20) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		fs := vfs.NewMem()
		f, err := fs.Create("a.log", vfs.WriteCategoryUnspecified)
		if err != nil {
			t.Fatal(err)
		}
		behind, name := byte(0), "a.log"
		a := newAheadFile(f)
		if seed%2 == 1 {
			behind, name = 'o', "b.log"
			if _, err := f.Write(bytes.Repeat([]byte{behind}, rnd.IntN(3*len(zeros)))); err != nil {
				t.Fatal(err)
			}
			if f, err = fs.ReuseForWrite("a.log", "b.log", vfs.WriteCategoryUnspecified); err != nil {
				t.Fatal(err)
			}
			a = reusedAheadFile(f)
		}
		old := int(a.end)
		var want []byte
		for range 1 + rnd.IntN(200) {
			p := bytes.Repeat([]byte{byte('a' + rnd.IntN(26))}, rnd.IntN(1+rnd.IntN(32<<10)))
			want = append(want, p...) // before the file system may do with p what it likes
			if n, err := a.Write(p); err != nil || n != len(p) {
				t.Fatalf("seed %d: write: %d, %v", seed, n, err)
			}
		}
		got := []byte(read(t, fs, name))
		if !bytes.HasPrefix(got, want) {
			t.Fatalf("seed %d: the content is not what was written", seed)
		}
		if len(got) >= max(old, len(want)+1)+len(zeros) {
			t.Errorf("seed %d: %d bytes for %d", seed, len(got), len(want))
		}
		for i := len(want); i < len(got); i++ {
			if i < old && got[i] != behind || i >= old && got[i] != 0 {
				t.Fatalf("seed %d: byte %d of %d is %q", seed, i, len(want), got[i])
			}
		}
	}
}

// A disk that has no room for zeros may still have some for jobs.
func TestNoRoomAhead(t *testing.T) {
	asked := 0
	fs := errorfs.Wrap(vfs.NewMem(), errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind == errorfs.OpFileWriteAt && strings.HasSuffix(op.Path, ".log") {
			asked++
			return errors.New("no space")
		}
		return nil
	}))
	s := noTicks(small(fs, storage.Always))
	l := mustOpen(t, s, 1)[0]
	for id := uint64(1); id <= 10; id++ {
		putOne(l, id)
		mustCommit(t, l)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if asked == 0 {
		t.Fatal("nobody has tried")
	}
	c := noTicks(small(fs, storage.Always))
	if got := replayed(t, mustOpen(t, c, 1)[0]); len(got) != 10 {
		t.Errorf("%d jobs come back", len(got))
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
}
