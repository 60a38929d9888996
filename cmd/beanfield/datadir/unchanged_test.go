package datadir

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"beanfield/router"
	"beanfield/storage"
	"beanfield/storage/must"
	"beanfield/storage/pebblestore"
)

// snapshot has of each file and directory the mode, the time of the last change, and a hash.
func snapshot(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := make(map[string]string)
	must.Do(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		sum := ""
		if !e.IsDir() {
			sum = fmt.Sprintf("%x", sha256.Sum256([]byte(read(t, path))))
		}
		all[path] = fmt.Sprint(info.Mode(), info.ModTime().UnixNano(), info.Size(), sum)
		return nil
	}))
	return all
}

func sameSnapshot(t *testing.T, what string, after, before map[string]string) {
	t.Helper()
	for path := range before {
		if after[path] != before[path] {
			t.Errorf("%s changed %s: %s, was %s", what, path, after[path], before[path])
		}
	}
	if !maps.Equal(before, after) {
		t.Fatalf("%s: %d files, were %d", what, len(after), len(before))
	}
}

// several are jobs in several tubes, large and small.
func several() []stored {
	all := jobs()
	for id := uint64(10); id < 300; id++ {
		body := strings.Repeat("x", int(id))
		if id%100 == 0 {
			body = strings.Repeat("y", 2*storage.LargeBody)
		}
		all = append(all, stored{storage.Job{ID: id, Tube: fmt.Sprint("tube ", id%7), State: storage.Ready, TTR: 1,
			Size: uint32(len(body)), Created: noon}, body})
	}
	return all
}

// killed copies a directory while a store has it open and after some jobs more, as a kill would
// leave it.
func killed(t *testing.T, dir string, shards int, more []stored) (left string) {
	t.Helper()
	store := pebblestore.New(pebblestore.Options{Dir: dir, Ballast: 1 << 20, Logger: quiet()})
	logs, err := store.Open(shards, func(tube string) int { return router.ShardOf(tube, shards) })
	if err != nil {
		t.Fatal(err)
	}
	for _, j := range more {
		l := logs[router.ShardOf(j.Tube, shards)]
		l.Put(&j.Job, []byte(j.body))
		commit(t, l)
	}
	// A start removes old files in its own time. A copy that has missed one shows no moment.
	for {
		left = filepath.Join(t.TempDir(), "killed")
		if err = os.CopyFS(left, os.DirFS(dir)); !errors.Is(err, os.ErrNotExist) {
			break
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	must.Do(t, store.Close())
	return left
}

// movedMidway is a directory with two generations of shards: the number of shards was changed,
// and the process died before the old generation was gone, or before the new one counted.
func movedMidway(t *testing.T, switched bool) (dir string) {
	t.Helper()
	dir = t.TempDir()
	fill(t, dir, 2, several())
	before := filepath.Join(t.TempDir(), "before")
	must.Do(t, os.CopyFS(before, os.DirFS(dir)))
	restart(t, dir, 3)
	left, of, name := dir, before, "gen-000001"
	if !switched {
		left, of, name = before, dir, "gen-000002"
	}
	must.Do(t, os.CopyFS(filepath.Join(left, name), os.DirFS(filepath.Join(of, name))))
	return left
}

// kinds are directories that were left in different ways.
func kinds(t *testing.T) map[string]string {
	t.Helper()
	clean, restarted, source, second := t.TempDir(), t.TempDir(), t.TempDir(), t.TempDir()
	fill(t, clean, 1, several())
	fill(t, restarted, 3, several())
	restart(t, restarted, 3)
	fill(t, source, 2, several())
	fillQueues(t, second)
	behind, old := emptied(t, 50)
	if len(old) == 0 {
		t.Fatal("nothing is left behind")
	}
	more := jobs()
	for i := range more {
		more[i].ID += 6000
	}
	return map[string]string{
		"clean": clean, "restarted": restarted, "killed": killed(t, source, 2, more), "queues": second,
		"moved": movedMidway(t, true), "being moved": movedMidway(t, false), "left behind": behind,
	}
}

// D1. No command that reads changes a directory, and none needs to write there.
func TestReadingChangesNothing(t *testing.T) {
	for kind, dir := range kinds(t) {
		// With a time of their own, a file that was written anew stands out.
		past := time.Unix(1_600_000_000, 0)
		for path := range snapshot(t, dir) {
			must.Do(t, os.Chtimes(path, past, past))
		}
		before := snapshot(t, dir)
		for _, args := range [][]string{
			{dir}, {"-summary", dir}, {"-json", dir}, {"-json", "-bodies", dir},
			{"-salvage", filepath.Join(t.TempDir(), "new"), dir}, {"check"},
		} {
			status, stdout, stderr := 0, "", ""
			if args[0] == "check" {
				if err := Verify(dir, new(strings.Builder), true); err != nil {
					t.Errorf("%s: check: %v", kind, err)
				}
			} else if status, stdout, stderr = command(args...); status != 0 || stderr != "" || stdout == "" {
				t.Errorf("%s: %q: status %d, %s", kind, args, status, stderr)
			}
			sameSnapshot(t, fmt.Sprintf("%s: %q", kind, args), snapshot(t, dir), before)
		}
	}
}
