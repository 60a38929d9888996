package pebblestore

import (
	"errors"
	"math/rand"
	"strings"
	"testing"

	"beanfield/storage"
	"beanfield/storage/must"
	"beanfield/storage/pebblestore/database"
	"beanfield/storage/pebblestore/directory"
	"beanfield/storage/pebblestore/disktest"
	"beanfield/storage/pebblestore/repair"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// A directory whose manifest tells of too few shards, or of too many, is refused before
// any is removed.
func TestWrongNumberOfShards(t *testing.T) {
	for _, old := range []bool{false, true} {
		for from, to := range map[string]string{`"shards": 2`: `"shards": 3`, `"generation": 1`: `"generation": 2`,
			`"shards": 2,`: `"shards": 1,`} {
			fs := vfs.NewMem()
			fill(t, fs, 2, 100)
			path := "data/" + directory.ManifestName
			text := strings.Replace(disktest.Read(t, fs, path), from, to, 1)
			if old {
				text = text[:strings.Index(text, ",\n  \"sum\"")] + "\n}\n"
				text = strings.Replace(text, strings.TrimSuffix(from, ","), strings.TrimSuffix(to, ","), 1)
			}
			disktest.Write(t, fs, path, text)
			before := fs.String()
			_, err := noTicks(small(fs, storage.Always)).Open(2, byName(2))
			if !errors.Is(err, storage.ErrCorrupt) || fs.String() != before {
				t.Errorf("%s: %v", text, err)
			}
		}
	}
}

// witnessOf looks at the one shard of a directory.
func witnessOf(t *testing.T, fs vfs.FS) *repair.Witness {
	t.Helper()
	return must.Get(repair.Check(fs, shardDir(0)))
}

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
		must.Do(t, l.compact()) // or Pebble would, and change the manifest between two looks
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

// VE4: a store that is older than what its log begins with is refused: the shares between the
// two are lost. Here the manifest and its mark agree, since both are of the same earlier moment.
func TestStoreOlderThanItsLog(t *testing.T) {
	fs := vfs.NewCrashableMem()
	o := small(fs, storage.Always)
	o.LogBytes = leastSlot * logSlots
	s := noTicks(o)
	l := mustOpen(t, s, 1)[0].(*shardLog)
	h := newHistory(rand.New(rand.NewSource(1)))
	var early *vfs.MemFS
	for i := range 400 {
		h.turn(l)
		mustCommit(t, l)
		if i%40 == 20 {
			must.Do(t, l.foldAll())
		}
		if i == 30 {
			early = clone(fs, 100, rand.New(rand.NewSource(1)))
		}
	}
	late := clone(fs, 100, rand.New(rand.NewSource(1)))
	must.Do(t, s.Close())
	for _, path := range files(t, early, "data") {
		if strings.HasSuffix(path, ".turns") {
			must.Do(t, early.Remove(path))
		}
	}
	for _, path := range files(t, late, "data") {
		if strings.HasSuffix(path, ".turns") {
			disktest.Write(t, early, path, disktest.Read(t, late, path))
		}
	}
	if _, err := noTicks(small(early, storage.Always)).Open(1, byName(1)); !errors.Is(err, storage.ErrCorrupt) {
		t.Errorf("a store that has lost shares opens: %v", err)
	}
}

// What a tool has left beside the shards is no shard.
func TestStrangersBesideTheShards(t *testing.T) {
	fs := vfs.NewMem()
	fill(t, fs, 2, 100)
	disktest.Write(t, fs, "data/gen-000001/.left-by-a-tool", "")
	if h := salvaged(t, fs); h.Jobs == 0 || h.report != "" {
		t.Errorf("%+v", h.Salvaged)
	}
	s := noTicks(small(fs, storage.Always))
	mustOpen(t, s, 2)
	must.Do(t, s.Close())
}

// A refusal quotes little, however long the word is that is wrong in Pebble's options.
func TestShortRefusal(t *testing.T) {
	fs := vfs.NewMem()
	fill(t, fs, 1, 1)
	path := disktest.Look(t, fs, "data/gen-000001/shard-000", "OPTIONS-")[0]
	begin, _, _ := strings.Cut(disktest.Read(t, fs, path), "merger=pebble")
	disktest.Write(t, fs, path, begin+"merger="+strings.Repeat("\x00", 10000))
	_, err := noTicks(small(fs, storage.Always)).Open(1, byName(1))
	if !errors.Is(err, storage.ErrCorrupt) || !strings.Contains(err.Error(), path) || len(err.Error()) > 1000 {
		t.Errorf("%.2000v", err)
	}
}
