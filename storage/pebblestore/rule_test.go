package pebblestore

import (
	"hash/fnv"
	"log/slog"
	"testing"

	"beanfield/storage"
	"beanfield/storage/must"
	"beanfield/storage/pebblestore/directory"
	"beanfield/storage/pebblestore/disktest"
	"beanfield/storage/pebblestore/format"
	"beanfield/storage/storagetest"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// byWholeName is the rule of older builds.
func byWholeName(n int) func(string) int {
	return func(tube string) int {
		h := fnv.New32a()
		h.Write([]byte(tube))
		return int(h.Sum32() % uint32(n))
	}
}

// rewrite changes the manifest of a directory.
func rewrite(t *testing.T, fs vfs.FS, change func(*format.Manifest)) {
	t.Helper()
	d := &directory.Dir{FS: fs, Path: "data"}
	m := manifestOf(t, fs)
	change(&m)
	must.Do(t, d.WriteManifest(m))
}

func manifestOf(t *testing.T, fs vfs.FS) format.Manifest {
	t.Helper()
	m, _, err := (&directory.Dir{FS: fs, Path: "data"}).ReadManifest()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// older makes a directory as a takeover leaves it if it ends there, of a build for which rear
// queues were tubes like others.
func older(t *testing.T, fs vfs.FS, jobs int) []storagetest.Stored {
	t.Helper()
	all := fillBy(t, fs, 2, jobs, 0, byWholeName(2))
	s := noTicks(small(fs, storage.Always))
	logs := must.Get(s.Open(2, byWholeName(2)))
	for id, tube := range []string{"a;rear", "b;rear", "c;rear", ";rear"} {
		j := storagetest.Stored{Job: storage.Job{ID: uint64(jobs + 1 + id), Tube: tube, State: storage.Ready}}
		logs[byWholeName(2)(tube)].Put(&j.Job)
		all = append(all, j)
	}
	for _, l := range logs {
		mustCommit(t, l)
	}
	// What is misplaced may be in tables, or in a log only.
	must.Do(t, logs[0].(*shardLog).foldAll())
	must.Do(t, s.Close())
	rewrite(t, fs, func(m *format.Manifest) { m.Rule = 0 })
	return all
}

// A directory without the rule's number has its rear queues moved to the shards of their
// queues, once.
func TestOlderDirectoryIsMoved(t *testing.T) {
	fs := vfs.NewMem()
	all := older(t, fs, 200)
	for range 3 {
		holds(t, fs, 2, all, 204, filledTubes...)
		if m := manifestOf(t, fs); m.Generation != 2 || m.Rule != format.ShardRule || m.Format != format.TurnsFormat {
			t.Errorf("the manifest is %+v", m)
		}
	}
	holds(t, fs, 3, all, 204, filledTubes...)
}

// A death at any file operation of that leaves a directory that can be opened, complete.
func TestDeathWhileAnOlderDirectoryIsMoved(t *testing.T) {
	step := 3
	if brief() {
		step = 17
	}
	base := vfs.NewCrashableMem()
	all := older(t, base, 40)
	deathWhileMoving(t, base, 2, step, 44, all)
}

// Where nothing is to be moved, nothing is rewritten, and the check is not repeated.
func TestOlderDirectoryWithoutRearQueuesStays(t *testing.T) {
	fs := vfs.NewMem()
	all := fill(t, fs, 2, 100)
	rewrite(t, fs, func(m *format.Manifest) { m.Rule = 0 })
	for checks := 1; checks >= 0; checks-- {
		var said must.Text
		o := small(fs, storage.Always)
		o.Logger = slog.New(slog.NewTextHandler(&said, nil))
		s := noTicks(o)
		for _, l := range mustOpen(t, s, 2) {
			replayed(t, l)
		}
		must.Do(t, s.Close())
		if n := len(said.Lines("every tube's shard is checked once")); n != checks {
			t.Errorf("%d checks, should be %d", n, checks)
		}
		if m := manifestOf(t, fs); m.Generation != 1 || m.Rule != format.ShardRule || m.Format != format.TurnsFormat {
			t.Errorf("the manifest is %+v", m)
		}
	}
	holds(t, fs, 2, all, 100, filledTubes...)
}

// Without a rule, nothing is moved, and another number of shards is an error.
func TestOpenAsItIs(t *testing.T) {
	fs := vfs.NewMem()
	older(t, fs, 50)
	before := disktest.Read(t, fs, "data/"+directory.ManifestName)
	s := noTicks(small(fs, storage.Always))
	if _, err := s.Open(3, nil); err == nil {
		t.Error("a directory with 2 shards was opened with 3")
	}
	s = noTicks(small(fs, storage.Always))
	logs := must.Get(s.Open(2, nil))
	for _, l := range logs {
		replayed(t, l)
	}
	must.Do(t, s.Close())
	if after := disktest.Read(t, fs, "data/"+directory.ManifestName); after != before {
		t.Errorf("the manifest was %s and is %s", before, after)
	}
}
