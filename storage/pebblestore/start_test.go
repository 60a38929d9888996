package pebblestore

import (
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"beanfield/storage"
	"beanfield/storage/must"
	"beanfield/storage/pebblestore/directory"
	"beanfield/storage/pebblestore/disktest"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// A directory of an older build is opened on a full disk: what the start writes first
// is written when the ballast is gone.
func TestOldManifestOnAFullDisk(t *testing.T) {
	mem := vfs.NewMem()
	fill(t, mem, 1, 100)
	path := "data/" + directory.ManifestName
	text := disktest.Read(t, mem, path)
	disktest.Write(t, mem, path, text[:strings.Index(text, ",\n  \"sum\"")]+"\n}\n")
	disktest.Write(t, mem, "data/"+directory.BallastName, "space")
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
	must.Do(t, s.Close())
	if got := disktest.Read(t, mem, path); got != text {
		t.Errorf("the manifest is %s", got)
	}
}

// What a tool has left beside the shards is no shard.
func TestStrangersBesideTheShards(t *testing.T) {
	fs := vfs.NewMem()
	fill(t, fs, 2, 100)
	disktest.Write(t, fs, "data/gen-000001/.left-by-a-tool", "")
	if found, result := salvaged(t, fs); len(found) == 0 || len(result.Damaged) > 0 {
		t.Errorf("%d jobs are salvaged: %+v", len(found), result)
	}
	s := noTicks(small(fs, storage.Always))
	mustOpen(t, s, 2)
	must.Do(t, s.Close())
}
