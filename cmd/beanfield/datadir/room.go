package datadir

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// roomFor refuses a copy for which there is no room. On one file system a copy takes next to none:
// its tables are links.
func roomFor(from, to string) error {
	one, err := device(from)
	if err != nil {
		return err
	}
	other, err := device(to)
	if err != nil || one == other {
		return err
	}
	return fits(from, to, Free)
}

// fits compares what a directory takes with what is free, when a copy has to be made byte by byte.
// What is only in the log of turns becomes tables, which take no more.
func fits(from, to string, free func(dir string) (uint64, error)) error {
	var size uint64
	err := filepath.WalkDir(from, func(_ string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		info, err := e.Info()
		if err == nil {
			size += uint64(info.Size())
		}
		return err
	})
	if err != nil {
		return err
	}
	room, err := free(to)
	if err == nil && room < size {
		err = fmt.Errorf("%s is on another file system, which has %d MB free: the copy of %s may take %d MB", to,
			room>>20, from, size>>20+1)
	}
	return err
}

func device(dir string) (uint64, error) {
	info, err := os.Stat(dir)
	if err != nil {
		return 0, err
	}
	return uint64(info.Sys().(*syscall.Stat_t).Dev), nil
}

// Free is how much room there is on the file system of a directory, in bytes.
func Free(dir string) (uint64, error) {
	var fs syscall.Statfs_t
	err := syscall.Statfs(dir, &fs)
	return uint64(max(0, fs.Bavail)) * uint64(fs.Bsize), err
}
