package binlog

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

	"beanfield/storage"
	"beanfield/storage/must"
)

// ill is a directory on a disk on which the operation with a given number goes wrong:
// it fails, or the file ends there, or a read gives less than was asked for.
type ill struct {
	fs.FS
	how  string // "fails", "ends" or "is short"
	at   int
	n    int
	kind string // of the operation
	file string
}

// wrong counts an operation and says whether it is the one to go wrong.
func (d *ill) wrong(kind, file string) bool {
	d.n++
	if d.n != d.at {
		return false
	}
	d.kind, d.file = kind, file
	return true
}

func (d *ill) fails(kind, file string) error {
	if d.wrong(kind, file) && d.how == "fails" {
		return &fs.PathError{Op: kind, Path: file, Err: syscall.EIO}
	}
	return nil
}

func (d *ill) ReadDir(name string) ([]fs.DirEntry, error) {
	if err := d.fails("readdir", name); err != nil {
		return nil, err
	}
	return fs.ReadDir(d.FS, name)
}

func (d *ill) Open(name string) (fs.File, error) {
	if err := d.fails("open", name); err != nil {
		return nil, err
	}
	f, err := d.FS.Open(name)
	if err != nil {
		return nil, err
	}
	return &illFile{f.(*os.File), d, name}, nil
}

type illFile struct {
	file *os.File
	d    *ill
	name string
}

func (f *illFile) Stat() (fs.FileInfo, error) {
	if err := f.d.fails("stat", f.name); err != nil {
		return nil, err
	}
	return f.file.Stat()
}

func (f *illFile) Close() error {
	return errors.Join(f.d.fails("close", f.name), f.file.Close())
}

func (f *illFile) Read(p []byte) (int, error) {
	if f.d.wrong("read", f.name) {
		switch f.d.how {
		case "fails":
			return 0, syscall.EIO
		case "ends":
			return 0, io.EOF
		}
		p = p[:(len(p)+1)/2]
	}
	return f.file.Read(p[:min(len(p), 97)]) // several reads a file
}

func (f *illFile) ReadAt(p []byte, at int64) (int, error) {
	if f.d.wrong("readat", f.name) && f.d.how != "is short" {
		if f.d.how == "fails" {
			return 0, syscall.EIO
		}
		n, _ := f.file.ReadAt(p[:len(p)/2], at)
		return n, io.EOF
	}
	return f.file.ReadAt(p, at)
}

// Whichever operation goes wrong, an import either has every job, or it fails, names
// the file, and leaves nothing behind.
func TestSourceGoesWrong(t *testing.T) {
	from := t.TempDir()
	data, _ := everything(amd64v7)
	write1(t, from, "binlog.2", data)
	write1(t, from, "binlog.3", append(amd64v7.file(full(1001, "x"), full(1002, "yz")), zeros(500)...))
	write1(t, from, "binlog.4", append(zeros(90), 1)) // reported, and left out
	want, wantMax, whole := imported(t, from)
	before := fingerprint(t, from)
	for _, how := range []string{"fails", "ends", "is short"} {
		met := make(map[string]bool)
		failed := 0
		for at := 1; ; at++ {
			d := &ill{FS: os.DirFS(from), how: how, at: at}
			to := filepath.Join(t.TempDir(), "new")
			rep, err := (&Import{From: from, To: to, Shards: 1, SkipUnreadable: true, files: d}).transfer(time.Now(),
				quiet())
			what := fmt.Sprintf("operation %d, %s of %s, %s", at, d.kind, d.file, how)
			if d.n < at {
				if err != nil {
					t.Errorf("nothing went wrong, but: %v", err)
				}
				break
			}
			met[d.kind] = true
			if err == nil {
				got, maxID := replay(t, to, 1)
				if !maps.Equal(got, want) || maxID != wantMax || !reflect.DeepEqual(unread(rep), unread(whole)) {
					t.Errorf("%s: %d jobs, left out %v, and no error", what, len(got), unread(rep))
				}
				continue
			}
			failed++
			name := d.file
			if d.kind == "readdir" {
				name = from
			}
			if how == "is short" || !strings.Contains(err.Error(), name) {
				t.Errorf("%s: %v", what, err)
			}
			if _, err := os.Stat(to); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("%s: the target is left: %v", what, err)
			}
		}
		for _, kind := range []string{"readdir", "open", "stat", "read", "readat", "close"} {
			if !met[kind] {
				t.Errorf("no %s ever went wrong", kind)
			}
		}
		if (failed == 0) != (how == "is short") {
			t.Errorf("%s: %d imports failed", how, failed)
		}
	}
	if fingerprint(t, from) != before {
		t.Error("the source has changed")
	}
}

// unread is all that a report says was left out.
func unread(rep *report) any { return [2]any{rep.skips, rep.unreadable} }

// What goes wrong with the target is not blamed on a binlog.
func TestTargetGoesWrong(t *testing.T) {
	from := sample(t)
	src := must.Get(openSource(from, os.DirFS(from)))
	jobs := must.Get(readAll(src, new(report))).settle(0)
	err := eachBody(src, jobs, func(*moved, []byte) error { return storage.ErrNoSpace })
	if !errors.Is(err, storage.ErrNoSpace) || strings.Contains(err.Error(), "binlog") {
		t.Errorf("a full target: %v", err)
	}
}
