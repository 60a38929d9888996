package pebblestore

import (
	"errors"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"beanfield/storage"
	"beanfield/storage/pebblestore/directory"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// A directory of an older build is opened on a full disk: what the start writes first
// is written when the ballast is gone.
func TestOldManifestOnAFullDisk(t *testing.T) {
	mem := vfs.NewMem()
	fill(t, mem, 1, 100)
	path := "data/" + directory.ManifestName
	text := read(t, mem, path)
	write(t, mem, path, text[:strings.Index(text, ",\n  \"sum\"")]+"\n}\n")
	write(t, mem, "data/"+directory.BallastName, "space")
	var noSpace atomic.Bool
	noSpace.Store(true)
	fs := errorfs.Wrap(mem, errorfs.InjectorFunc(func(op errorfs.Op) error {
		switch {
		case op.Kind == errorfs.OpRemove && op.Path == "data/"+directory.BallastName:
			noSpace.Store(false)
		case op.Kind == errorfs.OpFileWrite && noSpace.Load():
			return syscall.ENOSPC
		}
		return nil
	}))
	s := noTicks(small(fs, storage.Always))
	mustOpen(t, s, 1)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if got := read(t, mem, path); got != text {
		t.Errorf("the manifest is %s", got)
	}
}

// What a tool has left beside the shards is no shard.
func TestStrangersBesideTheShards(t *testing.T) {
	fs := vfs.NewMem()
	fill(t, fs, 2, 100)
	write(t, fs, "data/gen-000001/.left-by-a-tool", "")
	if found, result := salvaged(t, fs); len(found) == 0 || len(result.Damaged) > 0 {
		t.Errorf("%d jobs are salvaged: %+v", len(found), result)
	}
	s := noTicks(small(fs, storage.Always))
	mustOpen(t, s, 2)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// A power cut takes the name of a new manifest, whose content was synced and is in the
// mark. The next start gives its number again, to a shorter one.
func TestManifestNumberIsGivenAgain(t *testing.T) {
	mem := vfs.NewCrashableMem()
	fill(t, mem, 1, 10)
	path := "data/gen-000001/shard-000"
	r := newReach(mem, path, quiet())
	fs := &strictFS{FS: mem, dir: path, fault: newFault(nil), reach: r}
	for _, size := range []int{900, 300} {
		f, err := fs.Create(path+"/MANIFEST-000999", directory.Category)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write(make([]byte, size)); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(f.Sync(), f.Close()); err != nil {
			t.Fatal(err)
		}
		m, _, err := readMark(mem, path)
		if got := length(m.manifests, 999); err != nil || got != int64(size) {
			t.Errorf("the mark tells of %d bytes, of %d: %v", got, size, err)
		}
	}
	r.close()
}
