package datadir

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"beanfield/storage/cluster"
	"beanfield/storage/pebblestore"
	"beanfield/storage/turns"
)

// Founding makes an empty directory that of the first node of a cluster, with the jobs of a server
// by itself.
type Founding struct {
	Cluster string // its name
	Dir     string // the node's directory
	From    string // the server's, which stays as it is
}

// Run copies the jobs, and counts them.
func (f Founding) Run(logger *slog.Logger) (pebblestore.Counts, error) {
	if err := f.check(); err != nil {
		return pebblestore.Counts{}, err
	}
	return pebblestore.Found(offline(f.Dir, logger), f.From, f.Cluster, f.note)
}

// offline are the options of a store that only this process uses. The ballast is the server's to make.
func offline(dir string, logger *slog.Logger) pebblestore.Options {
	return pebblestore.Options{Dir: dir, Ballast: -1, Logger: logger}
}

// check refuses what is clear from the start.
func (f Founding) check() error {
	if err := complete(f.From); err != nil {
		return err
	}
	for _, dir := range []string{f.From, f.Dir} {
		if err := errors.Join(idle(dir), mine(dir)); err != nil {
			return err
		}
	}
	if err := pebblestore.CheckIntake(pebblestore.Options{Dir: f.Dir}); err != nil {
		return err
	}
	if err := unused(pebblestore.ClusterDir(f.Dir)); err != nil {
		return err
	}
	if err := apart(f.From, f.Dir); err != nil {
		return err
	}
	return roomFor(f.From, f.Dir)
}

// note writes where the logs begin, so that a power cut leaves all of it or nothing.
func (f Founding) note(origins []turns.Place) error {
	is := cluster.Founding{Cluster: f.Cluster, Shards: len(origins)}
	for _, o := range origins {
		is.Origins = append(is.Origins, cluster.BaseOf(o))
	}
	dir := pebblestore.ClusterDir(f.Dir)
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return errors.Join(is.Write(dir, cluster.FoundingName), SyncDir(f.Dir))
}

// SyncDir makes sure that a new name in a directory survives a power cut.
func SyncDir(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// idle refuses a directory that a process has open. A node that waits for others does not have its store open
// yet.
func idle(dir string) error {
	pid, err := Holder(dir)
	if err == nil && pid != 0 {
		err = fmt.Errorf("%s is in use by process %d: stop that server first", dir, pid)
	}
	if err != nil {
		return err
	}
	if _, err := os.Stat(claimOf(dir)); errors.Is(err, fs.ErrNotExist) {
		return nil // there has been no node
	}
	f, err := Claim(dir)
	if err != nil {
		return err
	}
	return f.Close()
}

// mine refuses a directory of another user: the server, which is that user's, could not open what
// this process writes there.
func mine(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	if owner := int(info.Sys().(*syscall.Stat_t).Uid); owner != os.Geteuid() {
		return fmt.Errorf("%s belongs to user %d: run this command as that user, whose server is to open what it writes", dir, owner)
	}
	return nil
}

// unused refuses the directory of a node that has run already. What an attempt before this has left
// is written anew.
func unused(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), cluster.FoundingName) {
			return fmt.Errorf("%s is not empty: it has %s, of a node that has run; give an empty directory", dir,
				e.Name())
		}
	}
	return err
}

// apart refuses directories of which one is in the other.
func apart(a, b string) error {
	a, err := filepath.EvalSymlinks(a)
	if err != nil {
		return err
	}
	if b, err = filepath.EvalSymlinks(b); err != nil {
		return err
	}
	for _, pair := range [][2]string{{a, b}, {b, a}} {
		rel, err := filepath.Rel(pair[0], pair[1])
		if err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
			return fmt.Errorf("%s is inside %s", pair[1], pair[0])
		}
	}
	return nil
}
