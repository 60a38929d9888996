package transfer

import (
	"fmt"
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
	files []file   // that are not whole
	left  int64    // of the first of them, if it was begun
	open  *os.File // likewise
	dirty int64    // bytes since its last sync
}

// receive makes the partial directory. What a former attempt has left there is removed.
func receive(into string, files []file, o Options) (*receiver, error) {
	r := &receiver{into: filepath.Clean(into), o: o, files: files}
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
	return r, r.write(nil) // files may begin with empty ones
}

// write takes the next bytes. A file that has no bytes ends with the one before it.
func (r *receiver) write(p []byte) error {
	for len(r.files) > 0 {
		if err := r.begin(); err != nil {
			return err
		}
		if n := min(int64(len(p)), r.left); n > 0 {
			r.o.steps("write", r.files[0].Name)
			if _, err := r.open.Write(p[:n]); err != nil {
				return err
			}
			p, r.left = p[n:], r.left-n
			if err := r.ease(n); err != nil {
				return err
			}
		}
		if r.left > 0 {
			return nil
		}
		open := r.open
		r.files, r.open, r.dirty = r.files[1:], nil, 0
		if err := r.settle(open, nil); err != nil {
			return err
		}
	}
	return nil
}

// ease syncs a part of a long file. One sync of all would take so long on a slow disk that the sender
// takes this side for dead, and whoever else syncs there would wait as long.
func (r *receiver) ease(written int64) error {
	if r.dirty += written; r.dirty < syncEach || r.left == 0 {
		return nil
	}
	r.dirty = 0
	return r.o.sync(r.open)
}

// begin makes the file that is next, unless it is there.
func (r *receiver) begin() (err error) {
	if r.open == nil {
		r.o.steps("make", r.files[0].Name)
		r.left = r.files[0].Length
		r.open, err = r.root.OpenFile(r.files[0].Name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	}
	return err
}

// finish gives the directory its name, when all that is in it is on the disk.
func (r *receiver) finish() error {
	if len(r.files) > 0 {
		return fmt.Errorf("%w: there is more in it than has come", ErrList)
	}
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
