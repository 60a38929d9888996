package datadir

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"beanfield/storage/pebblestore"
)

// Claim makes this process the only one that is the node of a data directory, until what it returns is
// closed, or the process ends. The store has a lock of its own, but it is opened only when enough other
// nodes are there, and the engine works in its files before.
func Claim(dir string) (*os.File, error) {
	f, err := os.OpenFile(claimOf(dir), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err == nil {
		return f, nil
	}
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = fmt.Errorf("%s is in use by another process of this node", dir)
	}
	return nil, errors.Join(err, f.Close())
}

// claimOf is the file that a node holds.
func claimOf(dir string) string { return filepath.Join(pebblestore.ClusterDir(dir), lockName) }
