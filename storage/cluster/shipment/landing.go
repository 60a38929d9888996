package shipment

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cespare/xxhash/v2"
)

// Partial is the name that a directory has until it is whole (SP1).
func Partial(dir string) string { return dir + ".partial" }

// landing writes what arrives.
type landing struct {
	into    string
	o       Options
	root    *os.Root // the partial directory: nothing is written outside (SP3)
	entries []entry
	at      int      // the entry that is written
	left    int64    // of it
	file    *os.File // of it
	dirty   int64    // bytes since its last sync
	digest  *xxhash.Digest
}

// land makes the partial directory. What a former attempt has left there is removed.
func land(into string, entries []entry, o Options) (*landing, error) {
	l := &landing{into: filepath.Clean(into), o: o, entries: entries, digest: xxhash.New()}
	partial := Partial(l.into)
	o.steps("make", partial)
	if err := os.RemoveAll(partial); err != nil {
		return nil, err
	}
	if err := os.Mkdir(partial, 0o700); err != nil {
		return nil, err
	}
	var err error
	if l.root, err = os.OpenRoot(partial); err != nil {
		return nil, err
	}
	return l, nil
}

// write takes the next bytes, and appends the hashes of the entries that end with them. A file that
// has no bytes ends with the one before it.
func (l *landing) write(p []byte, sums []uint64) ([]uint64, error) {
	for l.at < len(l.entries) {
		if err := l.begin(); err != nil {
			return sums, err
		}
		n := min(int64(len(p)), l.left)
		if n > 0 {
			l.o.steps("write", l.entries[l.at].name)
			if _, err := l.file.Write(p[:n]); err != nil {
				return sums, err
			}
			_, _ = l.digest.Write(p[:n])
			p, l.left = p[n:], l.left-n
			if err := l.ease(n); err != nil {
				return sums, err
			}
		}
		if l.left > 0 {
			break
		}
		if err := l.end(); err != nil {
			return sums, err
		}
		sums = append(sums, l.digest.Sum64())
		l.digest.Reset()
		l.at++
	}
	return sums, nil
}

// ease syncs a part of a long file. One sync of all would take so long on a slow disk that the sender
// takes this side for dead, and whoever else syncs there would wait as long.
func (l *landing) ease(written int64) error {
	if l.dirty += written; l.dirty < syncEach || l.left == 0 {
		return nil
	}
	l.dirty = 0
	return l.o.sync(l.file)
}

// begin makes the file or directory that is next, unless it is there.
func (l *landing) begin() (err error) {
	e := l.entries[l.at]
	switch {
	case e.dir:
		l.o.steps("make", e.name)
		return l.root.Mkdir(e.name, 0o700)
	case l.file == nil:
		l.o.steps("make", e.name)
		l.left = e.length
		l.file, err = l.root.OpenFile(e.name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	}
	return err
}

// end closes a file that is whole.
func (l *landing) end() error {
	f := l.file
	if f == nil {
		return nil // a directory
	}
	l.file, l.dirty = nil, 0
	return l.settle(f, nil)
}

// finish gives the directory its name, when all that is in it is on the disk.
func (l *landing) finish() error {
	if l.at < len(l.entries) {
		return fmt.Errorf("%w: less than its list says", ErrBroken)
	}
	for i := len(l.entries) - 1; i >= -1; i-- {
		e := entry{name: ".", dir: true}
		if i >= 0 {
			e = l.entries[i]
		}
		if e.dir {
			if err := l.settle(l.root.Open(e.name)); err != nil {
				return err
			}
		}
	}
	if err := l.root.Close(); err != nil {
		return err
	}
	if err := vacant(l.into); err != nil {
		return err
	}
	l.o.steps("rename", l.into)
	if err := os.Rename(Partial(l.into), l.into); err != nil {
		return err
	}
	return l.settle(os.Open(filepath.Dir(l.into)))
}

// abandon removes what has come, as far as it can.
func (l *landing) abandon() {
	if l.file != nil {
		_ = l.file.Close()
	}
	_ = l.root.Close()
	_ = os.RemoveAll(Partial(l.into))
}

// vacant says whether a directory can be made.
func vacant(dir string) error {
	if _, err := os.Lstat(dir); err == nil {
		return &fs.PathError{Op: "fetch", Path: dir, Err: fs.ErrExist}
	} else if !os.IsNotExist(err) {
		return err
	}
	return nil
}

// settle syncs a file or directory that was opened, and closes it.
func (l *landing) settle(f *os.File, err error) error {
	if err != nil {
		return err
	}
	if err := l.o.sync(f); err != nil {
		_ = f.Close()
		return err
	}
	return f.Close()
}
