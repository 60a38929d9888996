package pebblestore

import (
	"errors"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"beanfield/storage"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// onLink calls a function before each table that a database takes over.
type onLink struct {
	vfs.FS
	fn func()
}

func (f onLink) Link(from, to string) error {
	f.fn()
	return f.FS.Link(from, to)
}

// A crash may come when some of the tables of a share are there, and the database does not have
// them yet: then the share is in the log.
func TestSalvageAmidAFold(t *testing.T) {
	fs, r := vfs.NewCrashableMem(), rand.New(rand.NewSource(max(*seed, 1)))
	var cuts []*vfs.MemFS
	o := small(onLink{fs, func() { cuts = append(cuts, clone(fs, r.Intn(101), r)) }}, storage.Always)
	s := noTicks(o)
	l := mustOpenAsIs(t, s, 1)[0].(*shardLog)
	h := newHistory(r)
	for range 5 {
		for range 20 {
			h.turn(l)
			mustCommit(t, l)
		}
		if err := l.foldAll(); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for _, cut := range cuts {
		d := left{fs: cut, shards: 1}
		jobs, queues, result := salvagedAll(t, cut)
		d.serve(t).equals(t, jobs, queues, result)
		if len(result.Damaged) > 0 {
			t.Errorf("%q", result.Damaged)
		}
	}
	if len(cuts) < 10 {
		t.Errorf("%d tables", len(cuts))
	}
}

// A copy of a running store has a log without turns.
func TestSalvageOfACopy(t *testing.T) {
	fs := vfs.NewMem()
	s := noTicks(small(fs, storage.Always))
	l := mustOpenAsIs(t, s, 1)[0].(*shardLog)
	h := newHistory(rand.New(rand.NewSource(1)))
	for range 50 {
		h.turn(l)
		mustCommit(t, l)
	}
	if err := errors.Join(s.Checkpoint("copy"), s.Close(), fs.RemoveAll("data"), fs.Rename("copy", "data")); err != nil {
		t.Fatal(err)
	}
	jobs, queues, result := salvagedAll(t, fs)
	served{h.states[50], h.queues[50], h.maxIDs[50], false}.equals(t, jobs, queues, result)
	if len(result.Damaged) > 0 || len(lookFor(t, fs, "data", slotSuffix)) > 0 {
		t.Errorf("%q", result.Damaged)
	}
}

// What an older build has written, only an older build can salvage.
func TestSalvageOfOlderFormats(t *testing.T) {
	fs, _ := compacted(t)
	path := "data/" + manifestName
	text := read(t, fs, path)
	text = text[:strings.Index(text, ",\n  \"sum\"")] + "\n}\n"
	for format := firstFormat; format < turnsFormat; format++ {
		write(t, fs, path, strings.Replace(text, `"format": 3`, fmt.Sprintf(`"format": %d`, format), 1))
		_, err := Salvage("data", fs, nil, nil)
		if !errors.Is(err, ErrVersion) || !strings.Contains(err.Error(), "only the build that wrote it can salvage it") {
			t.Errorf("format %d: %v", format, err)
		}
	}
}
