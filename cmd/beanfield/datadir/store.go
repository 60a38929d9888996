package datadir

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"syscall"

	"beanfield/storage"
	"beanfield/storage/pebblestore"
)

// The names of the store's files that are needed before it opens a directory.
const (
	manifestName = "beanfield.json"
	lockName     = "LOCK"
)

// shardsOf reads how many shards a data directory has. It refuses a directory that is
// not a complete one, since opening it would make it one.
func shardsOf(dir string) (int, error) {
	text, err := os.ReadFile(filepath.Join(dir, manifestName))
	if errors.Is(err, os.ErrNotExist) {
		if _, statErr := os.Stat(dir); statErr != nil {
			return 0, statErr
		}
		return 0, fmt.Errorf("%s is not a data directory of beanfield: it has no %s", dir, manifestName)
	}
	if err != nil {
		return 0, err
	}
	var m struct {
		Shards   int
		Creating bool
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return 0, fmt.Errorf("%s/%s: %w", dir, manifestName, err)
	}
	if m.Creating {
		return 0, fmt.Errorf("%s was never finished: the process that made it ended too early; there are no jobs in it", dir)
	}
	return m.Shards, nil
}

// open opens a data directory as it is. If a server changes the number of shards at the
// same moment, the store must not change it back: it fails then.
func open(dir string, logger *slog.Logger) (storage.Store, []storage.Log, error) {
	shards, err := shardsOf(dir)
	if err != nil {
		return nil, nil, err
	}
	store := pebblestore.New(pebblestore.Options{Dir: dir, Ballast: -1, MinFree: -1, Logger: logger})
	logs, err := store.Open(shards, nil)
	if errors.Is(err, pebblestore.ErrInUse) {
		return nil, nil, fmt.Errorf("%w: stop the server first, or dump a copy", err)
	}
	return store, logs, err
}

// free returns an error if a server uses the directory.
func free(dir string) error {
	pid, err := Holder(dir)
	if err == nil && pid != 0 {
		err = fmt.Errorf("%s is in use by process %d: stop the server first", dir, pid)
	}
	return err
}

// Holder is the process that has the directory open, or 0 if there is none. Looking
// changes nothing, not even the lock file: a directory that is salvaged must stay as it
// is.
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
