package datadir

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
)

// The names of the store's files that are needed before it opens a directory.
const (
	manifestName = "beanfield.json"
	lockName     = "LOCK"
)

// manifest is what is needed of a data directory's.
type manifest struct {
	Cluster  string
	Creating bool
	Shards   int
}

func readManifest(dir string) (m manifest, err error) {
	text, err := os.ReadFile(filepath.Join(dir, manifestName))
	if err != nil {
		return m, err
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return m, fmt.Errorf("%s/%s: %w", dir, manifestName, err)
	}
	return m, nil
}

// complete returns an error if there is no data directory, or one that was never finished.
func complete(dir string) error {
	m, err := readManifest(dir)
	if errors.Is(err, os.ErrNotExist) {
		if _, statErr := os.Stat(dir); statErr != nil {
			return statErr
		}
		return fmt.Errorf("%s is not a data directory of beanfield: it has no %s", dir, manifestName)
	}
	if err != nil {
		return err
	}
	if m.Creating {
		return fmt.Errorf("%s was never finished: the process that made it ended too early; there are no jobs in it",
			dir)
	}
	return nil
}

// hold keeps servers from using a directory until what it returns is closed. As a reader of the
// lock file, it changes nothing, and works where nothing can be changed. A directory
// without a lock file, such as a copy, has no server.
func hold(dir string) (held io.Closer, err error) {
	f, err := os.Open(filepath.Join(dir, lockName))
	if errors.Is(err, os.ErrNotExist) {
		return io.NopCloser(nil), nil
	}
	if err != nil {
		return nil, err
	}
	lock := syscall.Flock_t{Type: syscall.F_RDLCK}
	err = syscall.FcntlFlock(f.Fd(), syscall.F_SETLK, &lock)
	if err == nil {
		return f, nil
	}
	if errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.EACCES) {
		err = fmt.Errorf("%s is in use by a server", dir)
		if pid, wrong := Holder(dir); pid != 0 || wrong != nil {
			err = cmp.Or(wrong, fmt.Errorf("%s is in use by process %d: stop the server first, or look at a copy", dir,
				pid))
		}
	}
	return nil, errors.Join(err, f.Close())
}

// Holder is the process that has the directory open, or 0 if there is none. Looking
// changes nothing, not even the lock file.
func Holder(dir string) (pid int, err error) {
	f, err := os.Open(filepath.Join(dir, lockName))
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	lock := syscall.Flock_t{Type: syscall.F_RDLCK}
	err = syscall.FcntlFlock(f.Fd(), syscall.F_GETLK, &lock)
	if err == nil && lock.Type != syscall.F_UNLCK {
		pid = int(lock.Pid)
		if pid == 0 {
			err = fmt.Errorf("%s is in use by a process of another container", dir)
		}
	}
	return pid, errors.Join(err, f.Close())
}
