package pebblestore

import (
	"errors"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"beanfield/storage"
	"beanfield/storage/must"
	"beanfield/storage/pebblestore/directory"
	"beanfield/storage/pebblestore/disktest"
	"beanfield/storage/pebblestore/repair"
	"beanfield/storage/storagetest"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// intakeJobs are jobs as somebody else may have had them: in every state, with
// all that happened to them.
func intakeJobs(n uint64) []storagetest.Stored {
	r, rank := rand.New(rand.NewSource(int64(n))), uint64(0)
	all := make([]storagetest.Stored, n)
	for i := range all {
		j := &all[i]
		*j = storagetest.RandomJob(r, uint64(i)+1, fmt.Sprintf("tube-%d", i%7))
		storagetest.RandomUpdate(r, j, &rank)
		if i%10 == 1 { // in another tube it has lost its keys
			j.Item = &storage.Item{Moved: true, Fate: 1, Keys: &storage.Keys{Key: []byte("k"), KeyUntil: 1}}
		}
	}
	return all
}

// take puts jobs in an intake.
func take(in *Intake, jobs []storagetest.Stored) error {
	for _, j := range jobs {
		if err := in.Put(&j.Job, []byte(j.Body)); err != nil {
			return err
		}
	}
	return nil
}

func mustBegin(t *testing.T, fs vfs.FS, n int) *Intake {
	t.Helper()
	in := must.Get(newIntake(noTicks(small(fs, storage.Always)), n, byName(n)))
	return in
}

func TestIntakeTakesAllJobsAndTheLastID(t *testing.T) {
	for _, last := range []uint64{0, 99, 100, 5000} {
		fs, jobs := vfs.NewMem(), intakeJobs(100)
		in := mustBegin(t, fs, 3)
		in.limit = 1000 // several turns
		must.Do(t, errors.Join(take(in, jobs), in.PutQueue(filledQueue("a")), in.PutQueue(filledQueue("b")),
			in.Finish(last)))
		if err := in.Abort(); err != nil { // has no effect any more
			t.Error(err)
		}
		holds(t, fs, 3, jobs, max(100, last), "a", "b")
		holds(t, fs, 2, jobs, max(100, last), "a", "b")
		if in.Finish(0) == nil {
			t.Error("an intake ended twice")
		}
	}
}

// refused checks that no store opens the directory, and that the reason says
// what to do; then that another intake may fill it.
func refused(t *testing.T, fs vfs.FS) {
	t.Helper()
	_, err := noTicks(small(fs, storage.Always)).Open(2, byName(2))
	if !errors.Is(err, directory.ErrUnfinished) || !strings.Contains(err.Error(), "repeat it or remove the directory") {
		t.Errorf("opening an unfinished directory says %v", err)
	}
	_, err = repair.Salvage("data", fs, func(*storage.Job, []byte) error { return nil }, nil)
	if !errors.Is(err, directory.ErrUnfinished) {
		t.Errorf("salvaging an unfinished directory says %v", err)
	}
	if err := CheckIntake(small(fs, storage.Always)); err != nil {
		t.Errorf("another intake says %v", err)
	}
}

// An intake that gives up leaves a directory that was there, and no other.
func TestAbortLeavesNothing(t *testing.T) {
	for _, made := range []bool{true, false} {
		parent := t.TempDir()
		o := Options{Dir: filepath.Join(parent, "new"), Logger: quiet()}
		if !made {
			must.Do(t, os.Mkdir(o.Dir, 0o700))
		}
		in, err := NewIntake(o, 3, byName(3))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := NewIntake(o, 3, byName(3)); err == nil {
			t.Error("two intakes fill the same directory")
		}
		must.Do(t, errors.Join(take(in, intakeJobs(20)), in.Abort()))
		left, err := filepath.Glob(filepath.Join(parent, "*", "*"))
		if _, statErr := os.Stat(o.Dir); len(left) > 0 || err != nil || errors.Is(statErr, os.ErrNotExist) != made {
			t.Errorf("left %q, %v, %v", left, err, statErr)
		}
	}
}

func TestIntakeNeedsAFreeDirectory(t *testing.T) {
	used, binlogs, fresh := vfs.NewMem(), vfs.NewMem(), vfs.NewMem()
	must.Do(t, mustBegin(t, used, 1).Finish(0))
	for _, fs := range []vfs.FS{binlogs, fresh} {
		must.Do(t, fs.MkdirAll("data/lost+found", 0o700))
	}
	disktest.Write(t, binlogs, "data/binlog.1", "")
	for _, c := range []struct {
		fs     *vfs.MemFS
		shards int
		says   string
	}{
		{used, 1, "a data directory already"},
		{binlogs, 1, "binlog.1"},
		{fresh, 0, "0 shards"},
		{fresh, 1, ""},
	} {
		before := c.fs.String()
		in, err := newIntake(noTicks(small(c.fs, storage.Always)), c.shards, byName(1))
		if (err == nil) != (c.says == "") || (err != nil && !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%v, want %q", err, c.says)
		}
		if err != nil && c.fs.String() != before {
			t.Errorf("%q: the directory was changed", c.says)
		}
		if in != nil {
			must.Do(t, in.Abort())
		}
	}
}

func TestIntakeNeedsSpace(t *testing.T) {
	fs := vfs.NewMem()
	fs.TestingSetDiskUsage(vfs.DiskUsage{AvailBytes: 5000, TotalBytes: 1 << 30, UsedBytes: 1 << 29})
	in := mustBegin(t, fs, 2)
	if err := take(in, intakeJobs(100)); !errors.Is(err, storage.ErrNoSpace) {
		t.Errorf("100 jobs in 5 kB: %v", err)
	}
	must.Do(t, in.Abort())
}

// A directory several levels deep that an intake has made outlives a power cut.
func TestIntakeMakesDirectoriesThatLast(t *testing.T) {
	fs, jobs := vfs.NewCrashableMem(), intakeJobs(10)
	o := small(fs, storage.Always)
	o.Dir = "a/b/c"
	in := must.Get(newIntake(noTicks(o), 1, byName(1)))
	must.Do(t, errors.Join(take(in, jobs), in.Finish(0)))
	o.FS = fs.CrashClone(vfs.CrashCloneCfg{})
	s := noTicks(o)
	for i := range jobs {
		jobs[i] = asPut(jobs[i])
	}
	storagetest.SameJobs(t, replayed(t, mustOpen(t, s, 1)[0]), storagetest.InOrder(jobs))
	must.Do(t, s.Close())
}

// Bodies come in a buffer that is used again, whatever their size.
func TestIntakeKeepsNoBody(t *testing.T) {
	fs := vfs.NewMem()
	in := mustBegin(t, fs, 1)
	buffer := make([]byte, 2*storage.LargeBody)
	var want []storagetest.Stored
	for id := uint64(1); id <= 6; id++ {
		body := buffer[:len(buffer)>>(id%3)]
		for i := range body {
			body[i] = byte(id)
		}
		s := storagetest.Stored{Job: storage.Job{ID: id, Tube: "t", State: storage.Ready, Size: uint32(len(body))},
			Body: string(body)}
		must.Do(t, in.Put(&s.Job, body))
		want = append(want, s)
	}
	clear(buffer)
	must.Do(t, in.Finish(0))
	s := noTicks(small(fs, storage.Always))
	defer s.Close()
	storagetest.SameJobs(t, replayed(t, mustOpen(t, s, 1)[0]), want)
}
