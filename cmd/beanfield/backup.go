package main

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"beanfield/cmd/beanfield/command"
	"beanfield/cmd/beanfield/config"
	"beanfield/cmd/beanfield/datadir"
)

// backups makes copies of the data while the server runs, one at a time.
type backups struct {
	path       string                 // where they go; "" if there is nothing to copy
	checkpoint func(dir string) error // makes the directory and copies the data to it
	now        func() time.Time
	log        *slog.Logger

	running atomic.Bool
	ended   sync.WaitGroup
}

func newBackups(c *config.Config, checkpoint func(dir string) error, log *slog.Logger) *backups {
	b := &backups{checkpoint: checkpoint, now: time.Now, log: log}
	if c.Storage.Backend != config.InMemory {
		b.path = c.BackupPath()
	}
	return b
}

// begin starts a backup and returns. The log says how it ends.
func (b *backups) begin() {
	if b.path == "" {
		b.log.Warn("no backup: jobs are kept in memory only")
		return
	}
	if !b.running.CompareAndSwap(false, true) {
		b.log.Warn("no backup: another one is still running")
		return
	}
	b.ended.Go(func() {
		release := sync.OnceFunc(func() { b.running.Store(false) })
		defer release()
		begun := b.now()
		path, err := b.make(begun, release)
		if err != nil {
			b.log.Error("backup failed", "error", err)
			return
		}
		notice(b.log, "backup complete", "path", path, "seconds", b.now().Sub(begun).Seconds())
	})
}

// wait returns when no backup is running.
func (b *backups) wait() { b.ended.Wait() }

// lastBackup is when the last complete backup in a directory was begun.
func lastBackup(path string) (last time.Time) {
	entries, _ := os.ReadDir(path) // there is none before the first
	for _, e := range entries {
		if at, err := time.Parse(command.BackupName, e.Name()); err == nil {
			last = at // the names are in the order of their times
		}
	}
	return last
}

// make copies the data, and gives the copy its name when it is complete: a directory
// with the name of a backup is always complete. Until then the copy grows in a
// directory of its own, so that two servers can make backups in the same path.
//
// It calls copied before that: whoever sees the name may ask for the next backup.
func (b *backups) make(at time.Time, copied func()) (path string, err error) {
	name := at.UTC().Format(command.BackupName)
	path = filepath.Join(b.path, name)
	if err := os.Mkdir(b.path, 0o700); err == nil {
		err = datadir.SyncDir(filepath.Dir(b.path))
		if err != nil {
			return "", err
		}
	} else if !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	if _, err := os.Lstat(path); err == nil {
		return "", fmt.Errorf("%s exists", path)
	}
	place, err := os.MkdirTemp(b.path, "partial-")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(place)) }()
	if err := b.checkpoint(filepath.Join(place, name)); err != nil {
		return "", err
	}
	copied()
	if err := os.Rename(filepath.Join(place, name), path); err != nil {
		return "", err
	}
	return path, datadir.SyncDir(b.path)
}
