package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"beanfield/cmd/beanfield/exit"
)

// findDirectory checks that the data directory exists if one is needed. It is never
// created: with a wrong name, or a disk that is not mounted, the server would look
// as if it had lost its jobs. known are the mistakes found so far, so that a wrong
// path is not reported twice.
func (c *Config) findDirectory(known Mistakes) Mistakes {
	if c.Storage.Backend != OnDisk || slices.ContainsFunc(known, func(m Mistake) bool {
		return m.Key == "storage.path"
	}) {
		return nil
	}
	o, key, value := c.From["storage.path"], "storage.path", c.Storage.Path
	m := Mistake{File: o.File, Line: o.Line, Key: key, Value: quote(value)}
	switch {
	case value == "" && o.File != "":
		m.Problem = "the backend " + quote(OnDisk) + " needs a directory"
		m.Allowed = c.row(key).allowed
		return Mistakes{m}
	case value == "":
		o = c.From["storage.backend"]
		return Mistakes{{File: o.File, Line: o.Line, Key: "storage.backend", Value: quote(OnDisk),
			Problem: "no directory to keep jobs in: set storage.path, or give -b DIR", Absent: true}}
	}
	if o.Flag != "" {
		m.Key, m.Value = o.Flag, value
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
	m.Code = exit.Storage
	return Mistakes{m}
}

// BackupPath is where backups go.
func (c *Config) BackupPath() string {
	if c.Storage.BackupPath != "" {
		return c.Storage.BackupPath
	}
	path, err := filepath.Abs(c.Storage.Path) // so that "." gets a name
	if err != nil {
		path = filepath.Clean(c.Storage.Path)
	}
	return path + "-backups"
}
