package pebblestore

import (
	"math/rand"
	"testing"

	"beanfield/storage/must"
	"beanfield/storage/pebblestore/database"
	"beanfield/storage/pebblestore/disktest"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// VE2. The mark is on the disk, and not only written, when the manifest has changed and when the
// database is closed: a power cut does not take it back to before that.
func TestMarkSurvivesAPowerCut(t *testing.T) {
	fs := vfs.NewCrashableMem()
	s, l := openOne(t, fs)
	afterCut := func() *database.Progress {
		t.Helper()
		m, ok, err := database.ReadProgress(clone(fs, 0, rand.New(rand.NewSource(1))), s.dir.Shard(1, 0))
		if !ok || err != nil {
			t.Fatalf("no mark is left: %v", err)
		}
		return &m
	}
	shard := s.dir.Shard(1, 0)
	for id := uint64(1); id <= 3; id++ {
		putOne(l, id)
		mustCommit(t, l)
		must.Do(t, l.foldAll())
		path := currentManifest(t, fs, shard)
		number, _ := database.Numbered(fs.PathBase(path), "MANIFEST-", "")
		if got, want := afterCut().Manifest(number), int64(len(disktest.Read(t, fs, path))); got != want {
			t.Errorf("the manifest has %d bytes, and the mark says %d", want, got)
		}
	}
	putOne(l, 4)
	mustCommit(t, l)
	must.Do(t, s.Close())
	m, _, err := database.ReadProgress(fs, shard)
	if err != nil {
		t.Fatal(err)
	}
	if got := afterCut(); got.Count != m.Count || len(got.Manifests) == 0 {
		t.Errorf("after the stop, mark %d is on the disk, and %d was written", got.Count, m.Count)
	}
}
