package pebblestore

import (
	"errors"
	"maps"
	"strings"
	"testing"

	"beanfield/storage"
	"beanfield/storage/effort"
	"beanfield/storage/must"
	"beanfield/storage/pebblestore/directory"
	"beanfield/storage/pebblestore/powercut"
	"beanfield/storage/storagetest"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// bulky makes the first jobs so large that tables are written.
func bulky(jobs []storagetest.Stored) []storagetest.Stored {
	for i := range 6 {
		jobs[i].Tube = "bulky"
		jobs[i].Body = strings.Repeat("x", 100<<10)
		jobs[i].Size = uint32(len(jobs[i].Body))
	}
	return jobs
}

// leftover is a directory in which an intake died.
func leftover(t *testing.T) *vfs.MemFS {
	t.Helper()
	fs := vfs.NewCrashableMem()
	in := mustBegin(t, fs, 1)
	must.Do(t, take(in, intakeJobs(3)))
	dead := fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 100, RNG: randv2(1)})
	must.Do(t, in.Abort())
	return dead
}

func fillBreaking(fs vfs.FS, jobs []storagetest.Stored) error {
	in, err := newIntake(noTicks(small(fs, storage.Always)), 2, byName(2))
	if err != nil {
		return err
	}
	in.limit = 200 << 10
	if err := take(in, jobs); err != nil {
		return errors.Join(err, in.Abort())
	}
	return in.Finish(77)
}

// With a disk that fails at any operation, and with one that fails from there
// on, an intake holds every job, or it says that it has failed, and then no
// store takes what is left for data, before a power cut and after it.
func TestErrorAtEveryOperationOfAnIntake(t *testing.T) {
	t.Parallel()
	step := int64(1)
	if effort.Brief() {
		step = 31
	}
	jobs := bulky(intakeJobs(60))
	met := make(map[errorfs.OpKind]bool)
	for _, from := range []*vfs.MemFS{vfs.NewCrashableMem(), leftover(t)} {
		maps.Copy(met, everyOperation(t, step, func(b *breaking) error {
			base := &powercut.Mem{MemFS: from.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 100, RNG: randv2(1)})}
			err := fillBreaking(b.fs(base), jobs)
			for _, kept := range []int{0, 100} {
				afterIntake(t, base.Clone(vfs.CrashCloneCfg{UnsyncedDataPercent: kept, RNG: randv2(b.at)}), jobs, err)
			}
			return err
		}))
	}
	if effort.Brief() {
		return
	}
	for _, kind := range []errorfs.OpKind{
		errorfs.OpCreate, errorfs.OpFileWrite, errorfs.OpFileSync, errorfs.OpFileSyncData, errorfs.OpRename,
		errorfs.OpMkdirAll,
		errorfs.OpFileClose, errorfs.OpOpenDir, errorfs.OpOpen, errorfs.OpFileRead, errorfs.OpList, errorfs.OpStat,
		errorfs.OpLock, errorfs.OpRemove, errorfs.OpRemoveAll, errorfs.OpFileWriteAt, errorfs.OpLink,
	} {
		if !met[kind] {
			t.Errorf("no operation of kind %d ever failed", kind)
		}
	}
}

// afterIntake looks at what an intake has left: as far as it counts it is whole.
func afterIntake(t *testing.T, fs *vfs.MemFS, jobs []storagetest.Stored, failure error) {
	t.Helper()
	s := noTicks(small(fs, storage.Always))
	_, there, err := s.dir.Usable()
	switch {
	case errors.Is(err, directory.ErrUnfinished) && failure != nil:
		refused(t, fs)
	case err != nil:
		t.Errorf("what is left: %v", err)
		return
	case there:
		// Also when the very last step was done and could not be undone.
		if failure != nil && !strings.Contains(failure.Error(), "useless remainder") {
			t.Errorf("a complete directory is left, which the error does not say: %v", failure)
		}
		holds(t, fs, 2, jobs, 77)
		return
	case failure == nil:
		t.Error("the intake did not fail, but there is nothing")
		return
	}
	if err := fillBreaking(fs, jobs[10:20]); err != nil {
		t.Errorf("another intake afterwards: %v", err)
		return
	}
	holds(t, fs, 2, jobs[10:20], 77)
}

// An intake that gives up and then cannot remove everything leaves what no store
// takes for data either.
func TestErrorAtEveryOperationOfAnAbort(t *testing.T) {
	t.Parallel()
	jobs := intakeJobs(30)
	everyOperation(t, 1, func(b *breaking) error {
		base := &powercut.Mem{MemFS: vfs.NewCrashableMem()}
		b.rest(true)
		in := mustBegin(t, b.fs(base), 2)
		must.Do(t, take(in, jobs))
		b.rest(false)
		err := in.Abort()
		// After a crash removals that were not synced are undone.
		now := vfs.NewMem()
		must.Get(vfs.Clone(base.MemFS, now, "data", "data"))
		for _, fs := range []*vfs.MemFS{base.Clone(vfs.CrashCloneCfg{}), now} {
			afterIntake(t, fs, jobs, errors.Join(errors.New("given up"), err))
		}
		return err
	})
}
