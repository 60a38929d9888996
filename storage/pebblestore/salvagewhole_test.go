package pebblestore

import (
	"errors"
	"math/rand"
	"strings"
	"testing"

	"beanfield/storage"
	"beanfield/storage/must"
	"beanfield/storage/pebblestore/disktest"
	"beanfield/storage/pebblestore/format"
	"beanfield/storage/pebblestore/powercut"
	"beanfield/storage/pebblestore/repair"
	"beanfield/storage/turns"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// A crash may come when some of the tables of a share are there, and the database does not have
// them yet: then the share is in the log.
func TestSalvageAmidAFold(t *testing.T) {
	fs, r := vfs.NewCrashableMem(), rand.New(rand.NewSource(max(*seed, 1)))
	begun := false
	c := &camera{disk: &powercut.Mem{MemFS: fs}, r: r, when: func(op errorfs.Op) []int {
		if op.Kind != errorfs.OpLink || !begun {
			return nil
		}
		return []int{r.Intn(101)}
	}}
	s := noTicks(small(errorfs.Wrap(c.disk, c), storage.Always))
	l := mustOpenAsIs(t, s, 1)[0].(*shardLog)
	begun = true
	h := newHistory(r)
	for range 5 {
		h.some(t, l, 20)
		must.Do(t, l.foldAll())
	}
	must.Do(t, s.Close())
	for _, p := range c.photos {
		d := left{fs: p.fs, shards: 1}
		h := salvaged(t, p.fs)
		if d.serve(t).equals(t, h); h.report != "" {
			t.Error(h.report)
		}
	}
	if len(c.photos) < 10 {
		t.Errorf("%d tables", len(c.photos))
	}
}

// A copy of a running store has a log without turns.
func TestSalvageOfACopy(t *testing.T) {
	fs := vfs.NewMem()
	s := noTicks(small(fs, storage.Always))
	l := mustOpenAsIs(t, s, 1)[0].(*shardLog)
	h := newHistory(rand.New(rand.NewSource(1)))
	h.some(t, l, 50)
	must.Do(t, errors.Join(s.Checkpoint("copy"), s.Close(), fs.RemoveAll("data"), fs.Rename("copy", "data")))
	got := salvaged(t, fs)
	served{h.now(), false}.equals(t, got)
	if got.report != "" || len(disktest.Look(t, fs, "data", repair.SlotSuffix)) > 0 {
		t.Error(got.report)
	}
}

// A large body gets its id before other jobs, and its job is put after them.
func TestSalvageMissesALargeJob(t *testing.T) {
	fs := vfs.NewMem()
	s, l := openOne(t, fs)
	big, other := largeJob(1, 2*storage.LargeBody), largeJob(2, 10)
	must.Do(t, stageBody(l, 1, []byte(big.Body)))
	mustPut(t, l, other)
	mustCommit(t, l)
	l.Put(&big.Job)
	mustCommit(t, l)
	must.Do(t, s.Close())
	for _, slot := range disktest.Look(t, fs, "data", repair.SlotSuffix) { // one of them has been used
		text := disktest.Read(t, fs, slot)
		if at := strings.LastIndex(text, turns.Magic); at >= 0 {
			disktest.Write(t, fs, slot, text[:at]+strings.Repeat("\x00", len(text)-at))
		}
	}
	if h := salvaged(t, fs); h.Jobs != 1 || h.report == "" || h.Unknown != "1" {
		t.Errorf("%+v", h.Salvaged)
	}
}

// If the end of a job is lost, and that of its update is not, the job is not given.
func TestSalvageBelievesTheEndOfAnUpdate(t *testing.T) {
	fs := vfs.NewMem()
	s, l := openOne(t, fs)
	j := largeJob(1, 10)
	mustPut(t, l, j)
	l.Update(&j.Job)
	mustCommit(t, l)
	must.Do(t, l.foldAll())
	j.Updated = true
	l.Delete(&j.Job)
	mustCommit(t, l)
	must.Do(t, errors.Join(l.foldAll(), s.Close()))
	blank(t, fs, "data")
	w := witnessOf(t, fs)
	last := uint64(0)
	for n, table := range w.Manifest.Tables {
		if table.Smallest[0] == format.KeyRecord {
			last = max(last, n)
		}
	}
	must.Do(t, fs.Remove(w.Path("%s", repair.TableName(last))))
	if h := salvaged(t, fs); h.Jobs != 0 || len(h.Damaged) != 1 {
		t.Errorf("%+v", h.Salvaged)
	}
}

// Jobs whose table is gone are found in turns that were folded, if these are still there.
func TestSalvageOfFoldedTurns(t *testing.T) {
	fs := vfs.NewMem()
	s, l := openOne(t, fs)
	want := largeJob(1, 10)
	mustPut(t, l, want)
	mustCommit(t, l)
	must.Do(t, errors.Join(l.foldAll(), s.Close()))
	for _, path := range disktest.Look(t, fs, "data", ".sst") {
		text := disktest.Read(t, fs, path)
		must.Do(t, fs.Remove(path))
		salvaged(t, fs).has(t, "without "+path, path, want)
		disktest.Write(t, fs, path, text)
	}
}
