package storage

import (
	"bytes"
	"runtime"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// A large body costs the shard's turn nothing, can be read while it waits for
// the committer, stands between its neighbours, and is there after a restart.
func TestLargeBody(t *testing.T) {
	mem := vfs.NewMem()
	g, s, l, led := heldUp(t, mem)
	size := 5 * LargeBody
	parts := [][]byte{bytes.Repeat([]byte("first"), LargeBody), nil}
	parts[1] = bytes.Repeat([]byte("x"), size-LargeBody)
	parts[0] = parts[0][:LargeBody]
	whole := bytes.Join(parts, nil)
	j := Job{ID: 3, Tube: "t", State: Ready, Size: uint32(size)}
	putOne(l, 2)
	if got := bytesAllocated(func() { l.Put(&j, parts...) }); got >= LargeBody {
		t.Errorf("putting %d bytes took %d in the turn", size, got)
	}
	putOne(l, 4)
	gone := Job{ID: 5, Tube: "t", State: Ready, Size: uint32(size)}
	l.Put(&gone, parts...)
	l.Delete(&gone)
	if l.Commit(turn{led, 2}) {
		t.Fatal("acknowledged before its sync")
	}
	if body, err := l.Body(3, []byte("+")); err != nil || string(body) != "+"+string(whole) {
		t.Fatalf("%d bytes are read while they wait, %v", len(body), err)
	}
	g.mu.Unlock()
	mustCommit(t, l)
	if body, err := l.Body(3, nil); err != nil || !bytes.Equal(body, whole) {
		t.Fatalf("%d bytes are read, %v", len(body), err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}

	s = noTicks(small(mem, Always))
	l = mustOpen(t, s, 1)[0]
	defer s.Close()
	one := func(id uint64) stored { return stored{Job{ID: id, Tube: "t", State: Ready, Size: 4}, "body"} }
	sameJobs(t, replayed(t, l), []stored{one(1), one(2), {j, string(whole)}, one(4)})
	if max := l.MaxID(); max != 5 {
		t.Errorf("the highest id is %d, want 5", max)
	}
}

// A large body is a batch of its own, and its group's last batch may be empty, if
// its id is not the highest: it is synced all the same before it is acknowledged.
func TestLargeBodySurvivesAPowerCut(t *testing.T) {
	for _, size := range []int{LargeBody + 1, 3 * LargeBody} {
		fs := vfs.NewCrashableMem()
		o := small(fs, Always)
		o.MemTableBytes = 64 * mib // else the log file would be closed, and synced, for another
		s := noTicks(o)
		l := mustOpen(t, s, 1)[0]
		putOne(l, 10)
		mustCommit(t, l)
		body := bytes.Repeat([]byte("x"), size)
		l.Put(&Job{ID: 5, Tube: "t", State: Ready, Size: uint32(size)}, body)
		mustCommit(t, l)
		cut := fs.CrashClone(vfs.CrashCloneCfg{})
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		s = noTicks(small(cut, Always))
		got := replayed(t, mustOpen(t, s, 1)[0])
		if len(got) != 2 || got[0].ID != 5 || got[0].body != string(body) {
			t.Errorf("a body of %d bytes: %d jobs come back", size, len(got))
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// bytesAllocated runs fn and says how much it took.
func bytesAllocated(fn func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	fn()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
