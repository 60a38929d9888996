package intake

import (
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"beanfield/router"
	"beanfield/storage"
)

const shards = 3

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

func job(id uint64) *storage.Job {
	return &storage.Job{ID: id, Tube: fmt.Sprintf("tube-%d", id%7), State: storage.Ready, TTR: 60, Created: int64(id)}
}

func body(id uint64) []byte { return fmt.Appendf(nil, "body of %d", id) }

// fill puts jobs 1 to n.
func fill(t *testing.T, in *Intake, n uint64) error {
	t.Helper()
	for id := uint64(1); id <= n; id++ {
		if err := in.Put(job(id), body(id)); err != nil {
			return err
		}
	}
	return nil
}

// found opens a directory as a server would and lists what is in it.
func found(dir string) (jobs map[uint64]string, maxID uint64, err error) {
	store := storage.Pebble(storage.PebbleOptions{Dir: dir, Ballast: -1, Logger: quiet()})
	logs, err := store.Open(shards, func(tube string) int { return router.ShardOf(tube, shards) })
	if err != nil {
		return nil, 0, err
	}
	jobs = make(map[uint64]string)
	for i, l := range logs {
		maxID = max(maxID, l.MaxID())
		replayErr := l.Replay(func(j *storage.Job, body []byte) error {
			if router.ShardOf(j.Tube, shards) != i {
				return fmt.Errorf("job %d of tube %s is in shard %d", j.ID, j.Tube, i)
			}
			jobs[j.ID] = string(body)
			return nil
		})
		err = errors.Join(err, replayErr)
	}
	return jobs, maxID, errors.Join(err, store.Close())
}

func wanted(n uint64) map[uint64]string {
	jobs := make(map[uint64]string)
	for id := uint64(1); id <= n; id++ {
		jobs[id] = string(body(id))
	}
	return jobs
}

func mustFind(t *testing.T, dir string, n, wantMax uint64) {
	t.Helper()
	jobs, maxID, err := found(dir)
	if err != nil {
		t.Fatal(err)
	}
	if !maps.Equal(jobs, wanted(n)) {
		t.Errorf("found %d jobs, want 1 to %d whole", len(jobs), n)
	}
	if maxID != wantMax {
		t.Errorf("highest id is %d, want %d", maxID, wantMax)
	}
}

func TestAllJobsAndTheLastID(t *testing.T) {
	for _, last := range []uint64{0, 99, 100, 5000} {
		dir := filepath.Join(t.TempDir(), "new")
		in, err := New(dir, shards, quiet())
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(fill(t, in, 100), in.Finish(last)); err != nil {
			t.Fatal(err)
		}
		mustFind(t, dir, 100, max(100, last))
		if _, err := os.Stat(filepath.Join(dir, workName)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is left: %v", workName, err)
		}
	}
}

// A process that dies between two steps leaves a directory that a server
// refuses, or a complete one.
func TestDeathBetweenSteps(t *testing.T) {
	complete := 0
	for stop := 0; ; stop++ {
		dir := t.TempDir()
		in, err := New(dir, shards, quiet())
		if err != nil {
			t.Fatal(err)
		}
		if err := fill(t, in, 50); err != nil {
			t.Fatal(err)
		}
		steps := in.steps(70)
		if stop > len(steps) {
			break
		}
		for _, step := range steps[:stop] {
			if err := step(); err != nil {
				t.Fatal(err)
			}
		}
		if stop > 4 {
			complete++
			mustFind(t, dir, 50, 70)
			continue
		}
		if _, _, err := found(dir); err == nil || !strings.Contains(err.Error(), workName) {
			t.Errorf("after %d steps: opening it says %v", stop, err)
		}
		if err := Check(dir, shards); err == nil || !strings.Contains(err.Error(), workName) {
			t.Errorf("after %d steps: the next intake says %v", stop, err)
		}
		if in.store != nil {
			_ = in.closeStore()
		}
	}
	if complete != 2 {
		t.Errorf("complete after %d of the steps, want 2", complete)
	}
}

// failing is a store whose commits fail from the nth on.
type failing struct {
	storage.Store
	left *int
}

type failingLog struct {
	storage.Log
	left *int
}

var errDisk = errors.New("the disk is gone")

func (f failing) Open(n int, shardOf func(string) int) ([]storage.Log, error) {
	logs, err := f.Store.Open(n, shardOf)
	for i, l := range logs {
		logs[i] = failingLog{l, f.left}
	}
	return logs, err
}

func (f failingLog) Commit(ack storage.Ack) bool {
	if *f.left == 0 {
		ack.Committed(errDisk)
		return false
	}
	*f.left--
	return f.Log.Commit(ack)
}

func (f failingLog) Room(int) bool { return *f.left > 1 }

// Whatever fails, nothing is left behind.
func TestFailureLeavesNothing(t *testing.T) {
	for commits := range 2 * shards {
		for _, made := range []bool{true, false} {
			parent := t.TempDir()
			dir := filepath.Join(parent, "new")
			if !made {
				if err := os.Mkdir(dir, 0o700); err != nil {
					t.Fatal(err)
				}
			}
			in, err := begin(dir, shards, func(work string) storage.Store {
				left := commits
				return failing{storage.Pebble(storage.PebbleOptions{Dir: work, Ballast: -1, Logger: quiet()}), &left}
			})
			if err != nil {
				t.Fatal(err)
			}
			err = fill(t, in, 30)
			if err != nil {
				err = errors.Join(err, in.Abort())
			} else {
				err = in.Finish(0)
			}
			if commits >= shards {
				if err != nil {
					t.Fatal(err)
				}
				mustFind(t, dir, 30, 30)
				continue
			}
			if !errors.Is(err, errDisk) && !errors.Is(err, storage.ErrNoSpace) {
				t.Fatalf("%d commits: %v", commits, err)
			}
			left, err := filepath.Glob(filepath.Join(parent, "*", "*"))
			if _, statErr := os.Stat(dir); len(left) > 0 || err != nil || errors.Is(statErr, os.ErrNotExist) != made {
				t.Errorf("%d commits: left %q, %v, %v", commits, left, err, statErr)
			}
		}
	}
}

func TestRefused(t *testing.T) {
	used := t.TempDir()
	in, err := New(used, 1, quiet())
	if err != nil {
		t.Fatal(err)
	}
	if err := in.Finish(0); err != nil {
		t.Fatal(err)
	}
	other := t.TempDir()
	if err := os.WriteFile(filepath.Join(other, "thesis.tex"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	fresh := t.TempDir()
	if err := os.Mkdir(filepath.Join(fresh, "lost+found"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		dir    string
		shards int
		says   string
	}{
		{used, 1, "already"},
		{other, 1, "thesis.tex"},
		{fresh, 0, "0 shards"},
		{fresh, router.MaxShards + 1, "255 shards"},
		{fresh, router.MaxShards, ""},
		{filepath.Join(other, "thesis.tex"), 1, "not a directory"},
	} {
		err := Check(c.dir, c.shards)
		if (err == nil) != (c.says == "") || (err != nil && !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%s with %d shards: %v, want %q", c.dir, c.shards, err, c.says)
		}
	}
}
