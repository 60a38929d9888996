package main

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"

	"beanfield/router"
	"beanfield/storage"
)

// turnBytes is how much is put in a shard before it is forced to the disk.
const turnBytes = 4 << 20

// salvage copies what is readable of a damaged directory to a new one. That is
// written under another name first, so that half of it is never taken for all.
func salvage(o options, out io.Writer, logger *slog.Logger) error {
	if _, err := os.Stat(o.dir); err != nil {
		return err
	}
	if err := free(o.dir); err != nil {
		return err
	}
	part := filepath.Clean(o.salvage) + ".part"
	for _, path := range []string{o.salvage, part} {
		if _, err := os.Lstat(path); err == nil {
			return fmt.Errorf("%s exists: give a new name, or remove what is left of a salvage cut short", path)
		} else if !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	c := &rescue{pending: make([]int, min(runtime.GOMAXPROCS(0), router.MaxShards))}
	found, err := c.fill(o.dir, part, logger)
	if err == nil {
		err = os.Rename(part, o.salvage)
	}
	if err == nil {
		err = syncDir(filepath.Dir(part))
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(part))
	}
	for _, d := range found.Damaged {
		_, _ = fmt.Fprintf(out, "damaged: %s\n", d)
	}
	_, err = fmt.Fprintf(out, "read %d files, copied %d jobs to %s\n", found.Files, found.Jobs, o.salvage)
	return err
}

// rescue is a new store that takes jobs.
type rescue struct {
	logs    []storage.Log
	pending []int // bytes put since the last commit of each log
}

func (c *rescue) fill(from, to string, logger *slog.Logger) (found storage.Salvaged, err error) {
	store := storage.Pebble(storage.PebbleOptions{Dir: to, Ballast: -1, Logger: logger})
	shards := len(c.pending)
	c.logs, err = store.Open(shards, func(tube string) int { return router.ShardOf(tube, shards) })
	if err != nil {
		return found, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	if found, err = storage.Salvage(from, nil, c.put); err != nil {
		return found, err
	}
	for i := range c.logs {
		if err := c.commit(i); err != nil {
			return found, err
		}
	}
	return found, nil
}

// put stores a job with all that changed since it was first put, as one record.
func (c *rescue) put(j *storage.Job, body []byte) error {
	i := router.ShardOf(j.Tube, len(c.logs))
	n := len(body) + len(j.Tube)
	if !c.logs[i].Room(n) {
		return storage.ErrNoSpace
	}
	whole := *j
	whole.Updated = false
	c.logs[i].Put(&whole, body)
	if c.pending[i] += n; c.pending[i] < turnBytes {
		return nil
	}
	return c.commit(i)
}

// acked is an Ack that can be waited for.
type acked chan error

func (a acked) Committed(err error) { a <- err }

func (c *rescue) commit(i int) error {
	c.pending[i] = 0
	done := make(acked, 1)
	if c.logs[i].Commit(done) {
		return nil
	}
	return <-done
}

func syncDir(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
