package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// applyStorage lets -b choose the store on disk as well as its directory, as in
// beanstalkd. -f and -F only say how it is synced, and mean nothing without it.
func (c *Config) applyStorage(f flags) {
	if f.dir != nil {
		given(c, "storage.backend", "-b", &c.Storage.Backend, ptr(onDisk))
		given(c, "storage.path", "-b", &c.Storage.Path, f.dir)
	}
	if f.sync == nil {
		return
	}
	o := origin{flag: f.sync.name}
	c.Storage.Sync, c.from["storage.sync"] = f.sync.mode, o
	if f.sync.mode == syncInterval {
		c.Storage.SyncInterval, c.from["storage.sync_interval"] = f.sync.every, o
	}
}

// findDirectory checks that the data directory exists if one is needed. It is never
// created: with a wrong name, or a disk that is not mounted, the server would look
// as if it had lost its jobs. known are the mistakes found so far, so that a wrong
// path is not reported twice.
func (c *Config) findDirectory(known Mistakes) Mistakes {
	if c.Storage.Backend != onDisk || slices.ContainsFunc(known, func(m Mistake) bool { return m.Key == "storage.path" }) {
		return nil
	}
	o, key, value := c.from["storage.path"], "storage.path", c.Storage.Path
	m := Mistake{File: o.file, Line: o.line, Key: key, Value: quote(value)}
	switch {
	case value == "" && o.file != "":
		m.Problem = "the backend " + quote(onDisk) + " needs a directory"
		m.Allowed = findSetting(settings, key).allowed
		return Mistakes{m}
	case value == "":
		o = c.from["storage.backend"]
		return Mistakes{{File: o.file, Line: o.line, Key: "storage.backend", Value: quote(onDisk),
			Problem: "no directory to keep jobs in: set storage.path, or give -b DIR", Absent: true}}
	}
	if o.flag != "" {
		m.Key, m.Value = o.flag, value
	}
	info, err := os.Stat(value)
	var pe *fs.PathError
	switch {
	case err == nil && info.IsDir():
		return nil
	case err == nil:
		m.Problem = "not a directory"
	case errors.Is(err, fs.ErrNotExist):
		m.Problem = "no such directory: it must exist"
	case errors.As(err, &pe):
		m.Problem = "cannot open this directory: " + pe.Err.Error()
	}
	m.Code = exitStorage
	return Mistakes{m}
}

// backupPath is where backups go.
func (c *Config) backupPath() string {
	if c.Storage.BackupPath != "" {
		return c.Storage.BackupPath
	}
	path, err := filepath.Abs(c.Storage.Path) // so that "." gets a name
	if err != nil {
		path = filepath.Clean(c.Storage.Path)
	}
	return path + "-backups"
}
