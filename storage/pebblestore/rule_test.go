package pebblestore

import (
	"errors"
	"hash/fnv"
	"math/rand"
	"strings"
	"testing"

	"beanfield/storage"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
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
func rewrite(t *testing.T, fs vfs.FS, change func(*manifest)) {
	t.Helper()
	d := &directory{fs: fs, path: "data"}
	m := manifestOf(t, fs)
	change(&m)
	if err := d.writeManifest(m); err != nil {
		t.Fatal(err)
	}
}

func manifestOf(t *testing.T, fs vfs.FS) manifest {
	t.Helper()
	m, _, err := (&directory{fs: fs, path: "data"}).readManifest()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// older makes a directory as a build without the queue service leaves it, where rear
// queues are tubes like others.
func older(t *testing.T, fs vfs.FS, jobs int) []stored {
	t.Helper()
	all := fillBy(t, fs, 2, jobs, 0, byWholeName(2))
	s := noTicks(small(fs, storage.Always))
	logs, err := s.Open(2, byWholeName(2))
	if err != nil {
		t.Fatal(err)
	}
	for id, tube := range []string{"a;rear", "b;rear", "c;rear", ";rear"} {
		j := stored{Job: storage.Job{ID: uint64(jobs + 1 + id), Tube: tube, State: storage.Ready}}
		logs[byWholeName(2)(tube)].Put(&j.Job)
		all = append(all, j)
	}
	for _, l := range logs {
		mustCommit(t, l)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	rewrite(t, fs, func(m *manifest) { m.Format, m.Rule = firstFormat, 0 })
	return all
}

// A directory of an older build has its rear queues moved to the shards of their queues,
// once.
func TestOlderDirectoryIsMoved(t *testing.T) {
	fs := vfs.NewMem()
	all := older(t, fs, 200)
	for range 3 {
		holds(t, fs, 2, all, 204, filledTubes...)
		if m := manifestOf(t, fs); m.Generation != 2 || m.Rule != shardRule || m.Format != queueFormat {
			t.Errorf("the manifest is %+v", m)
		}
	}
	holds(t, fs, 3, all, 204, filledTubes...)
}

// A death at any file operation of that leaves a directory that can be opened, complete.
func TestDeathWhileAnOlderDirectoryIsMoved(t *testing.T) {
	step := int64(3)
	if brief() {
		step = 17
	}
	base := vfs.NewCrashableMem()
	all := older(t, base, 40)
	deathWhileMoving(t, base, 2, step, 44, all)
}

// plainJobs writes jobs that an older build would write, too.
func plainJobs(t *testing.T, fs vfs.FS) {
	t.Helper()
	s := noTicks(small(fs, storage.Always))
	logs := mustOpen(t, s, 2)
	for i, tube := range []string{"a", "b"} {
		l := logs[byName(2)(tube)]
		l.Put(&storage.Job{ID: uint64(i + 1), Tube: tube, State: storage.Ready})
		mustCommit(t, l)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// Where nothing is to be moved, nothing is rewritten, and older builds can go on.
func TestOlderDirectoryWithoutRearQueuesStays(t *testing.T) {
	fs := vfs.NewMem()
	plainJobs(t, fs)
	rewrite(t, fs, func(m *manifest) { m.Rule = 0 })
	for range 2 {
		s := noTicks(small(fs, storage.Always))
		mustOpen(t, s, 2)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if m := manifestOf(t, fs); m.Generation != 1 || m.Rule != shardRule || m.Format != firstFormat {
			t.Errorf("the manifest is %+v", m)
		}
	}
}

// Without a rule, nothing is moved, and another number of shards is an error.
func TestOpenAsItIs(t *testing.T) {
	fs := vfs.NewMem()
	older(t, fs, 50)
	before := read(t, fs, "data/"+manifestName)
	s := noTicks(small(fs, storage.Always))
	if _, err := s.Open(3, nil); err == nil {
		t.Error("a directory with 2 shards was opened with 3")
	}
	s = noTicks(small(fs, storage.Always))
	logs, err := s.Open(2, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range logs {
		replayed(t, l)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if after := read(t, fs, "data/"+manifestName); after != before {
		t.Errorf("the manifest was %s and is %s", before, after)
	}
}

// An older build that goes on in a directory which has the rule's number may put a rear
// queue on a wrong shard. That is told, and mended by the next start.
func TestOlderBuildGoesOn(t *testing.T) {
	fs := vfs.NewMem()
	all := older(t, fs, 100)
	rewrite(t, fs, func(m *manifest) { m.Rule = shardRule })
	s := noTicks(small(fs, storage.Always))
	var err error
	for _, l := range mustOpen(t, s, 2) {
		err = errors.Join(err, l.Replay(func(*storage.Job, []byte) error { return nil }))
	}
	if err == nil || !strings.Contains(err.Error(), ";rear") {
		t.Errorf("the replay says %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	holds(t, fs, 2, all, 104, filledTubes...)
}

// whatNewerBuildsWrite are the records that an older build would take wrongly.
func whatNewerBuildsWrite() map[string]func(storage.Log) {
	return map[string]func(storage.Log){
		"tags": func(l storage.Log) {
			l.Put(&storage.Job{ID: 9, Tube: "a", State: storage.Ready, Item: &storage.Item{Tags: []byte("t")}})
		},
		"a rear queue": func(l storage.Log) { l.Put(&storage.Job{ID: 9, Tube: "a;rear", State: storage.Ready}) },
		"passed":       func(l storage.Log) { l.Update(&storage.Job{ID: 1, Tube: "a", State: storage.Passed}) },
		"a note": func(l storage.Log) {
			l.Update(&storage.Job{ID: 1, Tube: "a", State: storage.Ready, Item: &storage.Item{Note: []byte("n")}})
		},
		"a queue": func(l storage.Log) { l.PutQueue(&storage.Queue{Tube: "a", First: "g"}) },
	}
}

// Before such a record is on the disk, the manifest keeps older builds away, also from a
// copy. If it cannot, the turn fails.
func TestOlderBuildsAreKeptAway(t *testing.T) {
	for what, write := range whatNewerBuildsWrite() {
		t.Run(what, func(t *testing.T) {
			mem := vfs.NewCrashableMem()
			plainJobs(t, mem)
			if m := manifestOf(t, mem); m.Format != firstFormat {
				t.Errorf("the format is %d for plain jobs", m.Format)
			}
			fs := errorfs.Wrap(mem, errorfs.InjectorFunc(func(op errorfs.Op) error {
				if op.Kind == errorfs.OpCreate && strings.HasSuffix(op.Path, manifestTemp) {
					return errorfs.ErrInjected
				}
				return nil
			}))
			s := noTicks(small(fs, storage.Always))
			l := mustOpen(t, s, 2)[byName(2)("a")]
			before := look(t, l)
			write(l)
			if err := commit(l); !errors.Is(err, errorfs.ErrInjected) {
				t.Errorf("the commit says %v", err)
			}
			mem = clone(mem, 100, rand.New(rand.NewSource(1)))
			s = noTicks(small(mem, storage.Always))
			l = mustOpen(t, s, 2)[byName(2)("a")]
			after := look(t, l)
			if sameJobs(t, after.jobs, before.jobs); len(after.queues) != 0 {
				t.Errorf("%v is there", after.queues)
			}
			write(l)
			mustCommit(t, l)
			if err := s.Checkpoint("copy"); err != nil {
				t.Error(err)
			}
			copied, _, err := (&directory{fs: mem, path: "copy"}).readManifest()
			if m := manifestOf(t, mem); err != nil || m.Format != queueFormat || copied.Format != queueFormat || copied.Rule != shardRule {
				t.Errorf("the manifest is %+v, the copy's %+v, %v", m, copied, err)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		})
	}
}
