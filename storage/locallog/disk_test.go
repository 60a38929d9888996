package locallog

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"os"
	"path"
	"slices"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// sector is what the disk of the tests writes whole or not at all. Records of the tests
// are two sectors long.
const sector = 32

// disk is a disk whose every crash can be tried: it knows which sectors have been written
// and not synced. Files themselves are safe once made: how they are made is tested on
// Pebble's file system.
type disk struct {
	vfs.FS  // nil: what a log does not use
	safe    map[string][]byte
	seen    map[string][]byte // with what is only in memory
	pending []piece
	failing bool // syncs fail, and what they should have written counts as written
}

// piece is a sector that was written and not synced.
type piece struct {
	name string
	at   int64
	data []byte
}

func newDisk() *disk { return &disk{safe: map[string][]byte{}, seen: map[string][]byte{}} }

// crash returns the disk as it is found when of the pending sectors those in the mask
// have reached it.
func (d *disk) crash(mask uint) *disk {
	n := newDisk()
	for name, content := range d.safe {
		n.safe[name] = bytes.Clone(content)
	}
	for i, p := range d.pending {
		if mask>>i&1 != 0 {
			n.safe[p.name] = overwrite(n.safe[p.name], p.data, p.at)
		}
	}
	for name, content := range n.safe {
		n.seen[name] = bytes.Clone(content)
	}
	return n
}

// with returns the disk with another content of a file, or without the file if that is nil.
func (d *disk) with(name string, content []byte) *disk {
	n := newDisk()
	for other, c := range d.seen {
		n.seen[other] = bytes.Clone(c)
	}
	if n.seen[name] = bytes.Clone(content); content == nil {
		delete(n.seen, name)
	}
	return n
}

func overwrite(b, data []byte, at int64) []byte {
	if end := int(at) + len(data); end > len(b) {
		b = append(b, make([]byte, end-len(b))...)
	}
	copy(b[at:], data)
	return b
}

func (d *disk) PathJoin(elem ...string) string { return path.Join(elem...) }
func (d *disk) PathBase(p string) string       { return path.Base(p) }
func (d *disk) PathDir(p string) string        { return path.Dir(p) }

func (d *disk) MkdirAll(string, os.FileMode) error { return nil }

func (d *disk) List(string) ([]string, error) {
	var names []string
	for _, p := range slices.Collect(maps.Keys(d.seen)) {
		names = append(names, path.Base(p))
	}
	return names, nil
}

func (d *disk) Open(name string, _ ...vfs.OpenOption) (vfs.File, error) {
	if _, ok := d.seen[name]; !ok {
		return nil, os.ErrNotExist
	}
	return &file{d: d, name: name}, nil
}

func (d *disk) OpenReadWrite(name string, _ vfs.DiskWriteCategory, _ ...vfs.OpenOption) (vfs.File, error) {
	if _, ok := d.seen[name]; !ok {
		d.seen[name], d.safe[name] = []byte{}, []byte{}
	}
	return &file{d: d, name: name}, nil
}

func (d *disk) OpenDir(name string) (vfs.File, error) { return &file{d: d, name: name}, nil }

type file struct {
	vfs.File // nil
	d        *disk
	name     string
}

func (f *file) Stat() (vfs.FileInfo, error) { return size{n: int64(len(f.d.seen[f.name]))}, nil }

type size struct {
	vfs.FileInfo // nil
	n            int64
}

func (s size) Size() int64 { return s.n }

func (f *file) ReadAt(b []byte, at int64) (int, error) {
	content := f.d.seen[f.name]
	if at >= int64(len(content)) {
		return 0, io.EOF
	}
	n := copy(b, content[at:])
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

func (f *file) WriteAt(b []byte, at int64) (int, error) {
	f.d.seen[f.name] = overwrite(f.d.seen[f.name], b, at)
	for from := at; from < at+int64(len(b)); {
		to := min((from/sector+1)*sector, at+int64(len(b)))
		f.d.pending = append(f.d.pending, piece{f.name, from, bytes.Clone(b[from-at : to-at])})
		from = to
	}
	return len(b), nil
}

func (f *file) SyncData() error {
	if f.d.failing {
		f.d.pending = slices.DeleteFunc(f.d.pending, func(p piece) bool { return p.name == f.name })
		return errDisk
	}
	f.d.pending = slices.DeleteFunc(f.d.pending, func(p piece) bool {
		if p.name == f.name {
			f.d.safe[p.name] = overwrite(f.d.safe[p.name], p.data, p.at)
		}
		return p.name == f.name
	})
	return nil
}

var errDisk = errors.New("the disk says no")

func (f *file) Sync() error  { return f.SyncData() }
func (f *file) Close() error { return nil }
