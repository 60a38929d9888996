package pebblestore

import (
	"errors"
	"math/rand"
	"strings"
	"testing"

	"beanfield/storage"
	"beanfield/storage/must"
	"beanfield/storage/pebblestore/directory"
	"beanfield/storage/pebblestore/disktest"
	"beanfield/storage/turns"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// told is what a member's Damaged has heard.
type told struct {
	kept  string
	inUse bool
	why   error
}

// member opens a node's directory as that of one of the cluster's nodes.
func (n *node) member() (r *Replicas, heard *[]told, err error) {
	o := n.options()
	heard = new([]told)
	o.Member = true
	o.Damaged = func(_ int, kept string, inUse bool, why error) { *heard = append(*heard, told{kept, inUse, why}) }
	r, err = OpenReplicas(o)
	return r, heard, err
}

// filled is a node whose store has tables.
func filled(t *testing.T) *node {
	n := newNode(t, &kept{origin: turns.Place{Origin: 1}, most: 1000})
	s, l := n.serve()
	h := newHistory(rand.New(rand.NewSource(1)))
	look(t, l)
	for range 50 {
		h.turn(l)
		mustCommit(t, l)
	}
	must.Do(t, s.Close())
	must.Do(t, n.r.store.logs[0].foldAll())
	return n
}

// flip changes a byte of a file.
func flip(t *testing.T, fs vfs.FS, path string, at int) {
	text := []byte(disktest.Read(t, fs, path))
	text[(at+len(text))%len(text)] ^= 4
	disktest.Write(t, fs, path, string(text))
}

// A copy that cannot be read is set aside at the start, and an empty one takes its place; of two that of later is
// kept. Who has never been one of the cluster's nodes refuses it.
func TestDamagedCopyAtTheStart(t *testing.T) {
	for name, harm := range map[string]func(t *testing.T, fs vfs.FS, path string){
		"a table": func(t *testing.T, fs vfs.FS, path string) { flip(t, fs, disktest.Look(t, fs, path, ".sst")[0], -60) },
		"a missing table": func(t *testing.T, fs vfs.FS, path string) {
			must.Do(t, fs.Remove(disktest.Look(t, fs, path, ".sst")[0]))
		},
		"Pebble's manifest": func(t *testing.T, fs vfs.FS, path string) {
			flip(t, fs, disktest.Look(t, fs, path, "MANIFEST-")[0], 20)
		},
		"the manifest": func(t *testing.T, fs vfs.FS, path string) { flip(t, fs, "data/"+directory.ManifestName, 30) },
		"no manifest":  func(t *testing.T, fs vfs.FS, path string) { must.Do(t, fs.Remove("data/"+directory.ManifestName)) },
	} {
		t.Run(name, func(t *testing.T) {
			n := filled(t)
			path := n.r.store.dir.Shard(1, 0)
			must.Do(t, n.r.Close())
			harm(t, n.disk, path)
			if _, err := OpenReplicas(n.options()); !errors.Is(err, storage.ErrCorrupt) || strings.Contains(err.Error(), "salvage") {
				t.Errorf("who has never been a member: %v", err)
			}
			for range 2 {
				r, heard, err := n.member()
				if err != nil {
					t.Fatal(err)
				}
				if place := r.Place(0); place != n.log.origin {
					t.Errorf("it stands at %v", place)
				}
				if len(*heard) != 1 || (*heard)[0].inUse || (*heard)[0].kept != r.Aside(0) || (*heard)[0].why == nil {
					t.Errorf("told %+v; kept in %s", *heard, r.Aside(0))
				}
				if len(disktest.Look(t, n.disk, r.Aside(0), ".sst")) == 0 {
					t.Error("the damaged copy has no tables")
				}
				n.r = r
				n.catchUpAll() // as when the lanes have all
				must.Do(t, r.store.logs[0].foldAll())
				must.Do(t, r.Close())
				harm(t, n.disk, path)
			}
		})
	}
}

// Damage that is met in a copy that is in use is told once, and the copy is kept when another one has taken its place.
func TestDamagedCopyInUse(t *testing.T) {
	n := filled(t)
	other := newNode(t, n.log)
	other.catchUpAll()
	must.Do(t, other.r.store.logs[0].foldAll())
	must.Do(t, n.r.Close())
	r, heard, err := n.member()
	if err != nil {
		t.Fatal(err)
	}
	n.r = r
	for _, table := range disktest.Look(t, n.disk, r.store.dir.Shard(1, 0), ".sst") {
		flip(t, n.disk, table, 100)
	}
	at := uint64(len(n.log.records))
	for range 2 {
		if _, err := r.Sum(t.Context(), 0, at); !errors.Is(err, storage.ErrCorrupt) {
			t.Fatal(err)
		}
	}
	if len(*heard) != 1 || !(*heard)[0].inUse || r.Aside(0) != "" {
		t.Errorf("told %+v; kept in %q", *heard, r.Aside(0))
	}
	place := must.Get(other.r.Checkpoint(0, "checkpoint"))
	must.Get(vfs.Clone(other.disk, n.disk, "checkpoint", "checkpoint", vfs.CloneSync))
	must.Do(t, r.Replace(0, "checkpoint", true))
	if r.Place(0) != place || r.Aside(0) != (*heard)[0].kept || len(disktest.Look(t, n.disk, r.Aside(0), ".sst")) == 0 {
		t.Errorf("it stands at %v; the damaged one is in %q", r.Place(0), r.Aside(0))
	}
	if got, want := n.sum(at), other.sum(at); got != want {
		t.Errorf("it has %+v, and the other one %+v", got, want)
	}
	must.Do(t, r.Forget(0))
	if r.Aside(0) != "" {
		t.Error("the damaged one is still there")
	}
	must.Do(t, r.Close())
	must.Do(t, other.r.Close())
}
