package pebblestore

import (
	"testing"

	"beanfield/storage"
	"beanfield/storage/locallog"
	"beanfield/storage/must"
	"beanfield/storage/pebblestore/disktest"
	"beanfield/storage/tally"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// Each group that is applied is counted, with its turns; so is what its measuring finds.
func TestFiguresOfALog(t *testing.T) {
	for mode, syncs := range map[storage.SyncMode]uint64{storage.Always: 50, storage.Never: 0} {
		s := noTicks(small(vfs.NewMem(), mode))
		l := mustOpen(t, s, 1)[0].(*shardLog)
		for id := uint64(1); id <= 50; id++ {
			putOne(l, id)
			mustCommit(t, l)
		}
		if err := s.Close(); err != nil { // after all has been applied
			t.Fatal(err)
		}
		if n := l.Stats().Syncs; n != syncs {
			t.Errorf("%v: %d syncs", mode, n)
		}
		f := l.Figures()
		if n := f.Commits.Total(); n == 0 || n != f.Groups.Total() || f.Groups.Sum != tally.Number(50) ||
			f.Commits.Sum == 0 {
			t.Errorf("%v: %d commits, %d groups with %d turns", mode, n, f.Groups.Total(),
				f.Groups.Sum>>tally.NumberSteps)
		}
		if f.Stalls != 0 || f.Stalled != 0 {
			t.Errorf("%d stalls", f.Stalls)
		}
	}
}

// What is on the disk is counted, with the log, and so is how full that is.
func TestSpaceOfALog(t *testing.T) {
	fs := vfs.NewMem()
	o := small(fs, storage.Always)
	o.LogBytes = mib
	s := noTicks(o)
	l := mustOpen(t, s, 1)[0].(*shardLog)
	defer s.Close()
	if f := l.Figures(); f.Filled != 0 {
		t.Errorf("an empty log is full to %v", f.Filled)
	}
	l.Put(&storage.Job{ID: 1, Tube: "a", Size: mib / 2}, make([]byte, mib/2))
	mustCommit(t, l)
	if f := l.Figures(); f.Filled < 0.5 || f.Filled > 0.7 {
		t.Errorf("a log with half of its size is full to %v", f.Filled)
	}
	if err := l.turns.Prepare(); err != nil { // so that none is made meanwhile
		t.Fatal(err)
	}
	s.compactWhatIsDue()
	var slots uint64
	for _, path := range disktest.Look(t, fs, "data/gen-000001/shard-000/turns", ".turns") {
		slots += uint64(len(disktest.Read(t, fs, path)))
	}
	m, err := l.measure()
	if n := l.Stats().Bytes; err != nil || slots < mib/2 || n != slots+m.DiskSpaceUsage() {
		t.Errorf("%d bytes are counted, %d are in slots, %v", n, slots, err)
	}
	must.Do(t, l.foldAll())
	if f := l.Figures(); f.Filled > 1.0/16 {
		t.Errorf("a log that has been folded is full to %v", f.Filled)
	}
}

// The times when writes wait for compactions are counted, also one that lasts.
func TestStallsAreCounted(t *testing.T) {
	l := &shardLog{turns: &locallog.Log{}}
	heard := 0
	e := &pebble.EventListener{WriteStallBegin: func(pebble.WriteStallBeginInfo) { heard++ }}
	l.tallies.listen(e)
	e.WriteStallBegin(pebble.WriteStallBeginInfo{})
	for l.Figures().Stalled == 0 { // until the clock has moved
	}
	e.WriteStallEnd()
	over := l.Figures().Stalled
	e.WriteStallEnd() // of a stall that nobody has seen begin
	if f := l.Figures(); f.Stalls != 1 || f.Stalled != over || over <= 0 || heard != 1 {
		t.Errorf("%d stalls of %v, %d were heard", f.Stalls, f.Stalled, heard)
	}
}

// What a log takes on the disk is known from the start, not only when it is
// measured for the first time in the background.
func TestBytesOnDiskAtStart(t *testing.T) {
	fs := vfs.NewMem()
	fill(t, fs, 1, 2000)
	size := func(ending string) (n uint64) {
		for _, path := range disktest.Look(t, fs, "data", ending) {
			n += uint64(len(disktest.Read(t, fs, path)))
		}
		return n
	}
	for range 2 { // from a log file, then from tables
		before := size(".log") + size(".sst") // what was in the log file may be in both for a while
		s, l := openOne(t, fs)
		if got := l.Stats().Bytes; got < 100_000 || got > 2*before+(1<<20) {
			t.Errorf("%d bytes on disk, there were %d", got, before)
		}
		l.compact()
		must.Do(t, s.Close())
	}
}

// What lives is counted with its tags, and nothing is left of a job that was moved.
func TestLiveBytesOfItems(t *testing.T) {
	fs := vfs.NewMem()
	s, l := openOne(t, fs)
	j := storage.Job{ID: 1, Tube: "q", State: storage.Ready, Item: &storage.Item{Tags: []byte("some tags")}}
	plain := storage.Job{ID: 2, Tube: "q", State: storage.Ready}
	l.Put(&plain)
	one := l.Stats().Live
	l.Put(&j)
	if got := l.Stats().Live; got != 2*one+uint64(len(j.Item.Tags)) {
		t.Errorf("%d bytes live, and %d without tags", got, one)
	}
	j.Tube, j.Item.Moved, j.Updated = "q;rear", true, true
	l.Update(&j)
	mustCommit(t, l)
	before := l.Stats().Live
	must.Do(t, s.Close())
	_, l = openOne(t, fs)
	if replayed(t, l); l.Stats().Live != before {
		t.Errorf("%d bytes live, %d before the restart", l.Stats().Live, before)
	}
	l.Delete(&j)
	l.Delete(&plain)
	mustCommit(t, l)
	if got := l.Stats().Live; got != 0 {
		t.Errorf("%d bytes are left of nothing", got)
	}
}
