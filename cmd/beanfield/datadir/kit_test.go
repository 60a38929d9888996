package datadir

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"beanfield/router"
	"beanfield/storage"
	"beanfield/storage/must"
	"beanfield/storage/pebblestore"
)

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

// stored is a job with its body.
type stored struct {
	storage.Job
	body string
}

// noon is 2023-11-14T22:13:20Z, in nanoseconds.
const noon = 1_700_000_000_000_000_000

// jobs are one of each kind.
func jobs() []stored {
	return []stored{
		{storage.Job{ID: 1, Tube: "mail", State: storage.Ready, Pri: 7, TTR: 60, Size: 5, Created: noon}, "hello"},
		{storage.Job{ID: 2, Tube: "mail", State: storage.Delayed, Pri: 8, Delay: 90, TTR: 61, Size: 0,
			Created:  noon + 1_500_000_000,
			Deadline: noon + 90_000_000_000,
			Counters: storage.Counters{Reserves: 5, Timeouts: 4, Releases: 3, Buries: 2, Kicks: 1}}, ""},
		{storage.Job{ID: 3, Tube: "mail", State: storage.Buried, Pri: 9, TTR: 62, Size: 4, Created: noon, BuryRank: 2,
			Counters: storage.Counters{Buries: 1}}, "a\x00\xff\n"},
		{storage.Job{ID: 4, Tube: "mail", State: storage.Buried, TTR: 1, Size: 1, Created: noon, BuryRank: 1,
			Counters: storage.Counters{Buries: 1}}, "é"[:1]},
	}
}

type acks chan error

func (a acks) Committed(err error) { a <- err }

// opened opens a directory as a server does.
func opened(t *testing.T, dir string, shards int) (storage.Store, []storage.Log) {
	t.Helper()
	store := pebblestore.New(pebblestore.Options{Dir: dir, Ballast: -1, Logger: quiet()})
	return store, must.Get(store.Open(shards, func(tube string) int { return router.ShardOf(tube, shards) }))
}

// commit ends a turn of a log, and returns once that is on the disk.
func commit(t *testing.T, l storage.Log) {
	t.Helper()
	done := make(acks, 1)
	if !l.Commit(done) {
		must.Do(t, <-done)
	}
}

// some are n ready jobs, with these bodies.
func some(n uint64, body func(id uint64) string) (all []stored) {
	for id := uint64(1); id <= n; id++ {
		text := body(id)
		all = append(all, stored{storage.Job{ID: id, Tube: "mail", State: storage.Ready, TTR: 1,
			Size: uint32(len(text)), Created: noon}, text})
	}
	return all
}

func small(uint64) string { return "x" }

// globbed are the files of all shards whose names match; largest is the largest of them.
func globbed(t *testing.T, dir, pattern string) []string {
	t.Helper()
	return must.Get(filepath.Glob(filepath.Join(dir, "gen-*", "*", pattern)))
}

func largest(t *testing.T, dir string) string {
	t.Helper()
	return slices.MaxFunc(globbed(t, dir, "*.sst"), func(a, b string) int { return len(read(t, a)) - len(read(t, b)) })
}

// damaged changes a byte in the middle of the largest table.
func damaged(t *testing.T, dir string) (table string) {
	t.Helper()
	table = largest(t, dir)
	content := []byte(read(t, table))
	content[len(content)/2] ^= 0xff
	must.Do(t, os.WriteFile(table, content, 0o600))
	return table
}

func read(t *testing.T, path string) string {
	t.Helper()
	return string(must.Get(os.ReadFile(path)))
}

// fill writes a data directory. Its highest id is that of a deleted job.
func fill(t *testing.T, dir string, shards int, jobs []stored) {
	t.Helper()
	store, logs := opened(t, dir, shards)
	log := func(j *storage.Job) storage.Log { return logs[router.ShardOf(j.Tube, shards)] }
	gone := storage.Job{ID: 5000, Tube: "mail", State: storage.Ready}
	log(&gone).Put(&gone)
	log(&gone).Delete(&gone)
	for _, j := range jobs {
		if len(j.body) > storage.LargeBody {
			done := make(acks, 1)
			log(&j.Job).Stage(j.ID, [][]byte{[]byte(j.body)}, done)
			must.Do(t, <-done)
			log(&j.Job).Put(&j.Job)
			continue
		}
		log(&j.Job).Put(&j.Job, []byte(j.body))
	}
	for _, l := range logs {
		commit(t, l)
	}
	must.Do(t, store.Close())
}

// restart opens a directory as a server does, and closes it.
func restart(t *testing.T, dir string, shards int) {
	t.Helper()
	store, logs := opened(t, dir, shards)
	for _, l := range logs {
		must.Do(t, l.Replay(func(*storage.Job, []byte) error { return nil }))
	}
	must.Do(t, store.Close())
}

// copied makes a copy of a directory with one shard, as a backup does: all that is in it is in
// tables.
func copied(t *testing.T, dir string) string {
	t.Helper()
	store, _ := opened(t, dir, 1)
	to := filepath.Join(t.TempDir(), "copy")
	must.Do(t, errors.Join(store.(storage.Checkpointer).Checkpoint(to), store.Close()))
	return to
}

// command dumps as the command line does.
func command(args ...string) (status int, stdout, stderr string) {
	var o Dump
	var out, errs bytes.Buffer
	f := flag.NewFlagSet("dump", flag.ContinueOnError)
	f.SetOutput(&errs)
	o.Flags(f)
	err := f.Parse(args)
	if err == nil {
		err = o.Check(f.Args())
	}
	if err != nil {
		return 2, "", errs.String() + err.Error()
	}
	err = o.Run(&out, slog.New(slog.NewTextHandler(&errs, &slog.HandlerOptions{Level: slog.LevelWarn})))
	if err != nil {
		fmt.Fprintln(&errs, err)
		status = 1
	}
	if errors.Is(err, ErrIncomplete) {
		status = 3
	}
	return status, out.String(), errs.String()
}
