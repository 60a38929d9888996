package transfer

import (
	"io/fs"
	"os"
	"path/filepath"
)

// Partial is the name that a directory has until it is whole (SP1).
func Partial(dir string) string { return dir + ".partial" }

// receiver writes what comes.
type receiver struct {
	into  string
	o     Options
	root  *os.Root // the partial directory: nothing is written outside (SP3)
	open  *os.File // the file that is not whole, if one was begun
	dirty int64    // bytes since its last sync
}

// receive makes the partial directory. What a former attempt has left there is removed.
func receive(into string, o Options) (*receiver, error) {
	r := &receiver{into: filepath.Clean(into), o: o}
	partial := Partial(r.into)
	o.steps("make", partial)
	if err := os.RemoveAll(partial); err != nil {
		return nil, err
	}
	if err := os.Mkdir(partial, 0o700); err != nil {
		return nil, err
	}
	var err error
	if r.root, err = os.OpenRoot(partial); err != nil {
		return nil, err
	}
	return r, nil
}

// write writes the next chunk. A part of a long file is synced by itself: one sync of all would take so long on a slow
// disk that the sender takes this side for dead, and whoever else syncs there would wait as long.
func (r *receiver) write(c chunk, data []byte) (err error) {
	if c.at == 0 {
		r.o.steps("make", c.Name)
		r.open, err = r.root.OpenFile(c.Name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	}
	if err == nil && c.size > 0 {
		r.o.steps("write", c.Name)
		_, err = r.open.Write(data)
		r.dirty += c.size
	}
	switch {
	case err != nil:
	case c.at+c.size == c.Length:
		open := r.open
		r.open, r.dirty = nil, 0
		err = r.settle(open, nil)
	case r.dirty >= syncEach:
		r.dirty = 0
		err = r.o.sync(r.open)
	}
	return err
}

// finish gives the directory its name, when all that is in it is on the disk.
func (r *receiver) finish() error {
	if err := r.settle(r.root.Open(".")); err != nil {
		return err
	}
	if err := r.root.Close(); err != nil {
		return err
	}
	if err := vacant(r.into); err != nil {
		return err
	}
	r.o.steps("rename", r.into)
	if err := os.Rename(Partial(r.into), r.into); err != nil {
		return err
	}
	return r.settle(os.Open(filepath.Dir(r.into)))
}

// abandon removes what has come, as far as it can.
func (r *receiver) abandon() {
	if r.open != nil {
		_ = r.open.Close()
	}
	_ = r.root.Close()
	_ = os.RemoveAll(Partial(r.into))
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
func (r *receiver) settle(f *os.File, err error) error {
	if err != nil {
		return err
	}
	if err := r.o.sync(f); err != nil {
		_ = f.Close()
		return err
	}
	return f.Close()
}
