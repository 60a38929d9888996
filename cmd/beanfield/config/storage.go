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
	dir := c.Storage.Path
	info, err := os.Stat(dir)
	m := c.mistake("storage.path", "not a directory")
	m.Code = exit.Storage
	var pe *fs.PathError
	switch {
	case dir == "" && m.File != "":
		m.Problem, m.Code = "the backend "+quote(OnDisk)+" needs a directory", 0
		m.Allowed = c.row("storage.path").allowed
	case dir == "":
		m = c.mistake("storage.backend", "no directory to keep jobs in: set storage.path, or give -b DIR")
		m.Absent = true
	case err == nil && info.IsDir():
		return nil
	case errors.Is(err, fs.ErrNotExist):
		m.Problem = "no such directory: it must exist"
	case errors.As(err, &pe):
		m.Problem = "cannot open this directory: " + pe.Err.Error()
	}
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
