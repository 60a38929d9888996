package shipment

import (
	"encoding/binary"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
)

// entry is a file or a directory of a shipment.
type entry struct {
	name   string // with slashes, as package fs has it
	length int64  // of a file
	dir    bool
}

// listed finds what is in a directory, each directory before what is in it. There may be only plain
// files and directories.
func listed(dir string) (entries []entry, err error) {
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && path == dir && !d.IsDir() {
			return fmt.Errorf("%w: %s is no directory", ErrList, dir)
		}
		if err != nil || path == dir {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		e := entry{name: filepath.ToSlash(name), dir: d.IsDir()}
		switch {
		case len(entries) == mostSums:
			return fmt.Errorf("%w: more than %d files", ErrList, mostSums)
		case !fits(e.name):
			return fmt.Errorf("%w: the name %q", ErrList, e.name)
		case !d.IsDir() && !d.Type().IsRegular():
			return fmt.Errorf("%w: %q is no plain file", ErrList, e.name)
		case !d.IsDir():
			info, err := d.Info()
			if err != nil {
				return err
			}
			e.length = info.Size()
		}
		entries = append(entries, e)
		return nil
	})
	return entries, err
}

// fits tells whether a name is one of a file below a directory, on any system.
func fits(name string) bool {
	return fs.ValidPath(name) && name != "." && len(name) <= 1024 && !strings.ContainsAny(name, "\\:\x00")
}

// encodeList is the list as the stream begins with it. The name of a directory ends with a slash.
func encodeList(entries []entry) []byte {
	b := binary.AppendUvarint(nil, uint64(len(entries)))
	for _, e := range entries {
		name := e.name
		if e.dir {
			name += "/"
		}
		b = binary.AppendUvarint(b, uint64(len(name)))
		b = append(b, name...)
		b = binary.AppendUvarint(b, uint64(e.length))
	}
	return b
}

// decodeList takes a list from another node, and refuses names that could lead anywhere else (SP3).
func decodeList(b []byte, files int64) (entries []entry, err error) {
	r := lister{b: b}
	known := map[string]bool{"": true} // directories
	seen := map[string]bool{}
	count := r.number()
	if count > mostSums {
		return nil, fmt.Errorf("%w: %d files", ErrList, count)
	}
	for i := uint64(0); i < count && !r.bad; i++ {
		e := entry{name: r.text()}
		e.length = int64(r.number())
		e.name, e.dir = strings.CutSuffix(e.name, "/")
		parent := e.name[:max(strings.LastIndexByte(e.name, '/'), 0)]
		switch {
		case r.bad:
		case !fits(e.name) || seen[e.name] || !known[parent]:
			return nil, fmt.Errorf("%w: the name %q", ErrList, e.name)
		case e.length < 0 || e.length > files || e.dir && e.length != 0:
			return nil, fmt.Errorf("%w: the length of %q", ErrList, e.name)
		}
		seen[e.name], files = true, files-e.length
		if e.dir {
			known[e.name] = true
		}
		entries = append(entries, e)
	}
	if r.bad || len(r.b) != 0 || files != 0 {
		return nil, fmt.Errorf("%w: it does not end where it should", ErrList)
	}
	return entries, nil
}

// lister reads the fields of a list.
type lister struct {
	b   []byte
	bad bool
}

func (r *lister) number() uint64 {
	n, size := binary.Uvarint(r.b)
	if size <= 0 {
		r.bad = true
		return 0
	}
	r.b = r.b[size:]
	return n
}

func (r *lister) text() string {
	n := r.number()
	if n > uint64(len(r.b)) {
		r.bad = true
		return ""
	}
	text := string(r.b[:n])
	r.b = r.b[n:]
	return text
}
