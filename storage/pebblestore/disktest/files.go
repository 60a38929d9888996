package disktest

import (
	"io"
	"strings"
	"testing"

	"beanfield/storage/must"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// Write makes a file.
func Write(t *testing.T, fs vfs.FS, name, text string) {
	t.Helper()
	f := must.Get(fs.Create(name, vfs.WriteCategoryUnspecified))
	must.Get(f.Write([]byte(text)))
	must.Do(t, f.Close())
}

// Read returns what is in a file.
func Read(t *testing.T, fs vfs.FS, name string) string {
	t.Helper()
	f := must.Get(fs.Open(name))
	defer f.Close()
	text := make([]byte, must.Get(f.Stat()).Size())
	must.Get(io.ReadFull(f, text))
	return string(text)
}

// Look finds files and directories by the start or the end of their names.
func Look(t *testing.T, fs vfs.FS, dir, part string) (found []string) {
	t.Helper()
	names, err := fs.List(dir)
	if err != nil {
		return nil // not a directory
	}
	for _, name := range names {
		path := fs.PathJoin(dir, name)
		if strings.HasPrefix(name, part) || strings.HasSuffix(name, part) {
			found = append(found, path)
			continue
		}
		found = append(found, Look(t, fs, path, part)...)
	}
	return found
}
