package database

import (
	"errors"
	"log/slog"
	"testing"

	"beanfield/storage/must"
	"beanfield/storage/pebblestore/directory"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// A progress forgets the oldest logs, and a file never gets shorter.
func TestExtend(t *testing.T) {
	var list []Extent
	for n := range uint64(100) {
		list = extend(list, n, 10)
		list = extend(list, n, 5)
	}
	if len(list) != mostManifests || list[0] != (Extent{100 - mostManifests, 10}) ||
		list[mostManifests-1] != (Extent{99, 10}) {
		t.Errorf("%v", list)
	}
}

// A power cut takes the name of a new manifest, whose content was synced and is in the
// progress. The next start gives its number again, to a shorter one.
func TestManifestNumberIsGivenAgain(t *testing.T) {
	mem := vfs.NewCrashableMem()
	path := "shard-000"
	must.Do(t, mem.MkdirAll(path, 0o700))
	r := NewProgressFile(mem, path, slog.New(slog.DiscardHandler))
	fs := &strictFS{FS: mem, dir: path, fault: NewFault(nil), progress: r}
	for _, size := range []int{900, 300} {
		f, err := fs.Create(path+"/MANIFEST-000999", directory.Category)
		if err != nil {
			t.Fatal(err)
		}
		must.Get(f.Write(make([]byte, size)))
		must.Do(t, errors.Join(f.Sync(), f.Close()))
		m, _, err := ReadProgress(mem, path)
		if got := m.Manifest(999); err != nil || got != int64(size) {
			t.Errorf("the progress tells of %d bytes, of %d: %v", got, size, err)
		}
	}
	r.close()
}

// What cannot be read is not taken for what is not there.
func TestUnreadableProgress(t *testing.T) {
	mem := vfs.NewMem()
	must.Do(t, mem.MkdirAll(ProgressName, 0o700)) // which opens, but has no bytes
	if _, ok, err := ReadProgress(mem, ""); ok || err == nil {
		t.Errorf("%v, %v", ok, err)
	}
}
