package binlog

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"flag"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"beanfield/router"
	"beanfield/storage"
	"beanfield/storage/must"
	"beanfield/storage/pebblestore"
)

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

// stored is a job as a data directory has it.
type stored struct {
	storage.Job
	body string
}

// replay opens a data directory as a server does and lists it.
func replay(t *testing.T, dir string, shards int) (jobs map[uint64]stored, maxID uint64) {
	t.Helper()
	store := pebblestore.New(pebblestore.Options{Dir: dir, Ballast: -1, Logger: quiet()})
	logs := must.Get(store.Open(shards, func(tube string) int { return router.ShardOf(tube, shards) }))
	jobs = make(map[uint64]stored)
	for i, l := range logs {
		maxID = max(maxID, l.MaxID())
		must.Do(t, l.Replay(func(j *storage.Job, body []byte) error {
			if router.ShardOf(j.Tube, shards) != i {
				t.Errorf("job %d of tube %s is in shard %d", j.ID, j.Tube, i)
			}
			jobs[j.ID] = stored{*j, string(body)}
			return nil
		}))
	}
	must.Do(t, store.Close())
	return jobs, maxID
}

// imported imports a directory of binlogs and returns what a server then finds. It
// checks that the source has not changed.
func imported(t *testing.T, from string) (map[uint64]stored, uint64, *report) {
	t.Helper()
	const shards = 2
	before := fingerprint(t, from)
	to := filepath.Join(t.TempDir(), "new")
	rep := must.Get((&Import{From: from, To: to, Shards: shards, SkipUnreadable: true}).transfer(time.Now(), quiet()))
	if after := fingerprint(t, from); after != before {
		t.Errorf("the source has changed:\nbefore\n%safter\n%s", before, after)
	}
	jobs, maxID := replay(t, to, shards)
	if len(jobs) != len(rep.jobs) {
		t.Errorf("the report lists %d jobs, the directory %d", len(rep.jobs), len(jobs))
	}
	if maxID != rep.lastID {
		t.Errorf("the report says %d is the highest id, the directory %d", rep.lastID, maxID)
	}
	return jobs, maxID, rep
}

// fingerprint describes a directory: names, modes, times, contents.
func fingerprint(t *testing.T, dir string) string {
	t.Helper()
	var out strings.Builder
	must.Do(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		var content []byte
		if d.Type().IsRegular() {
			if content, err = os.ReadFile(path); err != nil {
				return err
			}
		}
		fmt.Fprintf(&out, "%s %v %d %v %x\n", path, info.Mode(), info.Size(), info.ModTime(), sha256.Sum256(content))
		return nil
	}))
	return out.String()
}

// sameAsListed compares an import with what beanstalkd shows.
func sameAsListed(t *testing.T, got map[uint64]stored, want map[uint64]listed) {
	t.Helper()
	for id, w := range want {
		g, ok := got[id]
		if !ok {
			t.Errorf("job %d is missing: %+v", id, w.Job)
			continue
		}
		if g.body != w.body {
			t.Errorf("job %d has body %.40q, want %.40q", id, g.body, w.body)
		}
		if g.State == storage.Delayed && (g.Deadline < w.after || g.Deadline > w.before) {
			t.Errorf("job %d is ready at %d, want from %d to %d", id, g.Deadline, w.after, w.before)
		}
		// What stats-job does not show.
		g.Created, g.Deadline, g.BuryRank = 0, 0, 0
		if g.Job != w.Job {
			t.Errorf("job %d:\n got %+v\nwant %+v", id, g.Job, w.Job)
		}
	}
	for id, g := range got {
		if _, ok := want[id]; !ok {
			t.Errorf("job %d is too much: %+v", id, g.Job)
		}
	}
}

// buriedOrder lists the ids of buried jobs in the order of their ranks.
func buriedOrder(jobs map[uint64]stored) []uint64 {
	var buried []stored
	for _, j := range jobs {
		if j.State == storage.Buried {
			buried = append(buried, j)
		}
	}
	slices.SortFunc(buried, func(a, b stored) int { return cmp.Compare(a.BuryRank, b.BuryRank) })
	ids := make([]uint64, len(buried))
	for i, j := range buried {
		ids[i] = j.ID
	}
	return ids
}

// whys lists what was skipped, as "file at offset: why".
func whys(rep *report) []string {
	var all []string
	for _, s := range rep.skips {
		all = append(all, fmt.Sprintf("%s at %d: %s", s.File, s.Offset, s.Why))
	}
	return all
}

// binlogs makes a directory of binlogs, from binlog.1 on.
func binlogs(t *testing.T, files ...[]byte) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for i, content := range files {
		write1(t, dir, fmt.Sprintf("binlog.%d", i+1), content)
	}
	return dir
}

func write1(t *testing.T, dir, name string, content []byte) {
	t.Helper()
	must.Do(t, os.WriteFile(filepath.Join(dir, name), content, 0o600))
}

// command imports as the command line does.
func command(args ...string) (status int, stdout, stderr string) {
	var o Import
	var out, errs bytes.Buffer
	f := flag.NewFlagSet("import", flag.ContinueOnError)
	f.SetOutput(&errs)
	o.Flags(f)
	err := f.Parse(args)
	if err == nil {
		err = o.Check(f.Args())
	}
	if err != nil {
		return 2, "", errs.String() + err.Error()
	}
	logger := slog.New(slog.NewTextHandler(&errs, &slog.HandlerOptions{Level: slog.LevelWarn}))
	if err := o.Run(&out, logger); err != nil {
		fmt.Fprintln(&errs, err)
		status = 1
	}
	return status, out.String(), errs.String()
}
