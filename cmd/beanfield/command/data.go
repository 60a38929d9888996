package command

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"beanfield/cmd/beanfield/binlog"
	"beanfield/cmd/beanfield/datadir"
)

// backup is the command of that name.
type backup struct {
	Config   string        `flag:"config the server's configuration <file>, on this machine (default USUAL)"`
	Path     string        `flag:"path the server's backup_path, a <directory> (default DIR-backups)"`
	Check    bool          `flag:"check make no backup: read all of DIR, a backup, and say whether it is whole"`
	Quick    bool          `flag:"quick do not read the new backup to check it"`
	Patience time.Duration `flag:"timeout <time> within which the server must begin"`
}

func (a *backup) run(c *call) error {
	switch {
	case len(c.words) > 1, a.Check && len(c.words) == 0:
		return usagef("name one directory")
	case len(c.words) == 1 && a.Config != "":
		return usagef("DIR and -config both name the server")
	case a.Check:
		return datadir.Verify(c.words[0], c.Stdout, c.json)
	case len(c.words) == 0:
		at, err := c.placeOnDisk(a.Config, "or its data directory as an argument")
		if err != nil {
			return err
		}
		a.Path = cmp.Or(a.Path, at.Backups)
		return a.make(c, at.Data)
	}
	data, err := filepath.Abs(c.words[0])
	if err != nil {
		return err
	}
	a.Path = cmp.Or(a.Path, data+"-backups")
	return a.make(c, data)
}

// make asks the server that has the directory open for a backup, and waits for it.
func (a *backup) make(c *call, data string) error {
	if _, err := os.Stat(data); err != nil {
		return err
	}
	if err := elsewhere(data); err != nil {
		return err
	}
	pid, err := datadir.Holder(data)
	if err != nil {
		return err
	}
	if pid == 0 {
		return fmt.Errorf("no server has %s open: copy the directory instead", data)
	}
	before, err := a.freeSecond()
	if err != nil {
		return err
	}
	if err := syscall.Kill(pid, syscall.SIGUSR2); err != nil {
		return fmt.Errorf("cannot ask process %d: %w", pid, err)
	}
	show := c.watched("backup: MB", 0, a.written)
	name, err := a.await(pid, before)
	show.done()
	if err != nil {
		return err
	}
	path := filepath.Join(a.Path, name)
	if c.json {
		err = encode(c.Stdout, map[string]string{"path": path})
	} else {
		_, err = fmt.Fprintln(c.Stdout, path)
	}
	if err != nil || a.Quick {
		return err
	}
	defer c.progress("check", 0).done()
	return datadir.Verify(path, io.Discard, false)
}

// The names that a server gives: of backups that are complete, and of what grows into one.
const (
	completePrefix = "beanfield-"
	partialPrefix  = "partial-"
	// BackupName is the name of a complete one, by its time.
	BackupName = completePrefix + "20060102T150405Z"
)

// look is how often the directory is read.
const look = 10 * time.Millisecond

// freeSecond lists what is in the directory of backups, in a second that no backup is
// named after: a server makes one a second.
func (a *backup) freeSecond() ([]string, error) {
	for {
		names, err := a.names()
		if err != nil || !slices.Contains(names, time.Now().UTC().Format(BackupName)) {
			return names, err
		}
		<-time.After(look)
	}
}

func (a *backup) names() (names []string, err error) {
	entries, err := os.ReadDir(a.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // the server makes it
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names, err
}

// written is how many megabytes the backup has that is being made.
func (a *backup) written() int {
	n := int64(0)
	partial, _ := filepath.Glob(filepath.Join(a.Path, partialPrefix+"*"))
	for _, dir := range partial {
		_ = filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
			if err == nil && e.Type().IsRegular() {
				if info, err := e.Info(); err == nil {
					n += info.Size()
				}
			}
			return nil // it grows, and is renamed
		})
	}
	return int(n / 1e6)
}

// await returns the name of the new backup. A server shows how far it is by directories
// alone: one grows while it works, and is gone when it has ended.
func (a *backup) await(pid int, before []string) (string, error) {
	growing := false
	for begun := time.Now(); ; <-time.After(look) {
		alive := syscall.Kill(pid, 0) == nil
		names, err := a.names()
		if err != nil {
			return "", err
		}
		grew := growing
		growing = false
		for _, n := range names {
			if slices.Contains(before, n) {
				continue
			}
			if strings.HasPrefix(n, completePrefix) {
				return n, nil
			}
			growing = growing || strings.HasPrefix(n, partialPrefix)
		}
		switch {
		case !alive:
			return "", fmt.Errorf("the server, process %d, has ended", pid)
		case growing:
			begun = time.Now()
		case grew:
			// It may have got its name after the directory was read.
			begun = begun.Add(-a.Patience + 20*look)
		case time.Since(begun) > a.Patience:
			return "", fmt.Errorf("process %d has made no backup in %s: its log says why", pid, a.Path)
		}
	}
}

// importing is the command import.
type importing struct{ binlog.Import }

func (a *importing) run(c *call) error {
	if err := a.Check(c.words); err != nil {
		return usageError{err}
	}
	show := c.progress("import", 0)
	a.Progress = func(done, total int) {
		show.total.Store(int64(total))
		show.set(done)
	}
	if a.To != "" && !a.DryRun {
		ctx, end := interruptible()
		defer end()
		defer context.AfterFunc(ctx, func() {
			show.done()
			fmt.Fprintf(c.Stderr, "beanfield import: interrupted: unless it had just ended, %s is no data directory "+
				"yet, and the next import starts over in it\n", a.To)
			os.Exit(codeFailed) // at any moment: see the package binlog
		})()
	}
	return c.quietly(show, func(out io.Writer) error { return a.Run(out, c.logger()) })
}

// quietly does what prints only once nothing is shown any more.
func (c *call) quietly(show *progress, do func(out io.Writer) error) error {
	var found bytes.Buffer
	err := do(&found)
	show.done()
	_, failed := found.WriteTo(c.Stdout)
	return errors.Join(err, failed)
}

// dumping is the command dump.
type dumping struct{ datadir.Dump }

func (a *dumping) run(c *call) error {
	if err := a.Check(c.words); err != nil {
		return usageError{err}
	}
	if a.Salvage == "" {
		return a.Run(c.Stdout, c.logger())
	}
	show := c.progress("salvage", 0)
	a.Progress = show.set
	return c.quietly(show, func(out io.Writer) error { return a.Run(out, c.logger()) })
}
