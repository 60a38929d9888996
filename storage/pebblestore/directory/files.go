package directory

import (
	"errors"
	"fmt"
	"os"

	"github.com/cockroachdb/pebble/v2/vfs"
)

func Missing(err error) bool { return errors.Is(err, os.ErrNotExist) }

// Remove removes a file, if it is there.
func Remove(fs vfs.FS, path string) error {
	if err := fs.Remove(path); !Missing(err) {
		return err
	}
	return nil
}

// RemoveThose removes some files of a directory.
func RemoveThose(fs vfs.FS, dir string, which func(name string) bool) error {
	names, err := fs.List(dir)
	for _, name := range names {
		if err == nil && which(name) {
			err = fs.Remove(fs.PathJoin(dir, name))
		}
	}
	return err
}

// MakeDir makes a directory and the missing ones above it, and syncs their entries.
func MakeDir(fs vfs.FS, path string) error {
	if _, err := fs.Stat(path); err == nil {
		return nil
	}
	above := fs.PathDir(path)
	if above != path && above != "." {
		if err := MakeDir(fs, above); err != nil {
			return err
		}
	}
	if err := fs.MkdirAll(path, 0o700); err != nil {
		return err
	}
	return SyncDir(fs, above)
}

func SyncDir(fs vfs.FS, path string) error {
	f, err := fs.OpenDir(path)
	if err != nil {
		return fmt.Errorf("storage: %w", err)
	}
	if err := f.Sync(); err != nil {
		return fmt.Errorf("storage: sync %s: %w", path, errors.Join(err, f.Close()))
	}
	return f.Close()
}

// TurnsName is the directory of the log, in that of the shard.
const TurnsName = "turns"

func Turns(fs vfs.FS, shard string) string { return fs.PathJoin(shard, TurnsName) }
