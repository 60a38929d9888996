package datadir

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"path/filepath"
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
		{storage.Job{ID: 2, Tube: "mail", State: storage.Delayed, Pri: 8, Delay: 90, TTR: 61, Size: 0, Created: noon + 1_500_000_000,
			Deadline: noon + 90_000_000_000, Reserves: 5, Timeouts: 4, Releases: 3, Buries: 2, Kicks: 1}, ""},
		{storage.Job{ID: 3, Tube: "mail", State: storage.Buried, Pri: 9, TTR: 62, Size: 4, Created: noon, BuryRank: 2, Buries: 1}, "a\x00\xff\n"},
		{storage.Job{ID: 4, Tube: "mail", State: storage.Buried, TTR: 1, Size: 1, Created: noon, BuryRank: 1, Buries: 1}, "é"[:1]},
	}
}

type acks chan error

func (a acks) Committed(err error) { a <- err }

// fill writes a data directory. Its highest id is that of a deleted job.
func fill(t *testing.T, dir string, shards int, jobs []stored) {
	t.Helper()
	store := pebblestore.New(pebblestore.Options{Dir: dir, Ballast: -1, Logger: quiet()})
	logs := must.Get(store.Open(shards, func(tube string) int { return router.ShardOf(tube, shards) }))
	log := func(j *storage.Job) storage.Log { return logs[router.ShardOf(j.Tube, shards)] }
	gone := storage.Job{ID: 5000, Tube: "mail", State: storage.Ready}
	log(&gone).Put(&gone)
	log(&gone).Delete(&gone)
	for _, j := range jobs {
		if len(j.body) > storage.LargeBody {
			done := make(acks, 1)
			log(&j.Job).Stage(j.ID, [][]byte{[]byte(j.body)}, done)
			if err := <-done; err != nil {
				t.Fatal(err)
			}
			log(&j.Job).Put(&j.Job)
			continue
		}
		log(&j.Job).Put(&j.Job, []byte(j.body))
	}
	for _, l := range logs {
		done := make(acks, 1)
		if !l.Commit(done) {
			if err := <-done; err != nil {
				t.Fatal(err)
			}
		}
	}
	must.Do(t, store.Close())
}

// restart opens a directory as a server does, and closes it.
func restart(t *testing.T, dir string, shards int) {
	t.Helper()
	store := pebblestore.New(pebblestore.Options{Dir: dir, Ballast: -1, Logger: quiet()})
	logs := must.Get(store.Open(shards, func(tube string) int { return router.ShardOf(tube, shards) }))
	for _, l := range logs {
		must.Do(t, l.Replay(func(*storage.Job, []byte) error { return nil }))
	}
	must.Do(t, store.Close())
}

// copied makes a copy of a directory with one shard, as a backup does: all that is in it is in
// tables.
func copied(t *testing.T, dir string) string {
	t.Helper()
	store, to := pebblestore.New(pebblestore.Options{Dir: dir, Ballast: -1, Logger: quiet()}), filepath.Join(t.TempDir(), "copy")
	must.Get(store.Open(1, nil))
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
