package pebblestore

import (
	"errors"
	"math/rand"
	"strings"
	"testing"

	"beanfield/storage"
	"beanfield/storage/must"
	"beanfield/storage/pebblestore/disktest"

	"github.com/cockroachdb/pebble/v2/vfs"
)

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
