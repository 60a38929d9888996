package pebblestore

import (
	"errors"
	"math/rand"
	"os"
	"strings"
	"syscall"
	"testing"

	"beanfield/storage"
	"beanfield/storage/must"
	"beanfield/storage/pebblestore/directory"
	"beanfield/storage/pebblestore/disktest"
	"beanfield/storage/turns"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// told is what a member's Damaged has heard.
type told struct {
	kept  string
	inUse bool
	why   error
}

// member opens a node's directory as that of one of the cluster's nodes.
func (n *node) member() (r *Replicas, heard *[]told, err error) { return n.memberOn(n.disk) }

func (n *node) memberOn(disk vfs.FS) (r *Replicas, heard *[]told, err error) {
	o := n.options()
	o.FS = disk
	heard = new([]told)
	o.Member = true
	o.Damaged = func(_ int, kept string, inUse bool, why error) { *heard = append(*heard, told{kept, inUse, why}) }
	r, err = OpenReplicas(o)
	return r, heard, err
}

func (n *node) mustBeMember() (*Replicas, *[]told) {
	n.t.Helper()
	r, heard, err := n.member()
	must.Do(n.t, err)
	return r, heard
}

// filled is a node whose store has tables.
func filled(t *testing.T) *node {
	n := newNode(t, &kept{origin: turns.Place{Origin: 1}, most: 1000})
	s, l := n.serve()
	h := newHistory(rand.New(rand.NewSource(1)))
	look(t, l)
	h.some(t, l, 50)
	must.Do(t, s.Close())
	must.Do(t, n.r.Fold(0))
	return n
}

// flip changes a byte of a file, which may be open.
func flip(t *testing.T, fs vfs.FS, path string, at int) {
	text := disktest.Read(t, fs, path)
	at = (at + len(text)) % len(text)
	f := must.Get(fs.OpenReadWrite(path, directory.Category))
	must.Get(f.WriteAt([]byte{text[at] ^ 4}, int64(at)))
	must.Do(t, f.Close())
}

// A copy that cannot be read is set aside at the start, and an empty one takes its place; of two that of later is
// kept. Who has never been one of the cluster's nodes refuses it.
func TestDamagedCopyAtTheStart(t *testing.T) {
	t.Parallel()
	for name, harm := range map[string]func(t *testing.T, fs vfs.FS, path string){
		"a table": func(t *testing.T, fs vfs.FS, path string) {
			flip(t, fs, disktest.Look(t, fs, path, ".sst")[0], -60)
		},
		"a missing table": func(t *testing.T, fs vfs.FS, path string) {
			must.Do(t, fs.Remove(disktest.Look(t, fs, path, ".sst")[0]))
		},
		"Pebble's manifest": func(t *testing.T, fs vfs.FS, path string) {
			flip(t, fs, disktest.Look(t, fs, path, "MANIFEST-")[0], 20)
		},
		"the manifest": func(t *testing.T, fs vfs.FS, path string) { flip(t, fs, "data/"+directory.ManifestName, 30) },
		"no manifest": func(t *testing.T, fs vfs.FS, path string) {
			must.Do(t, fs.Remove("data/"+directory.ManifestName))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := filled(t)
			path := n.r.store.dir.Shard(1, 0)
			n.close()
			harm(t, n.disk, path)
			if _, err := OpenReplicas(n.options()); !errors.Is(err, storage.ErrCorrupt) ||
				strings.Contains(err.Error(), "salvage") {
				t.Errorf("who has never been a member: %v", err)
			}
			for range 2 {
				r, heard := n.mustBeMember()
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
				must.Do(t, r.Fold(0))
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
	must.Do(t, other.r.Fold(0))
	n.close()
	r, heard := n.mustBeMember()
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
	must.Do(t, n.disk.MkdirAll("data/cluster", 0o700))
	disktest.Write(t, n.disk, "data/cluster/damaged", "") // the damaged one cannot be moved there
	if err := r.Replace(0, "checkpoint", true); err == nil {
		t.Error("the damaged one is kept nowhere")
	}
	must.Do(t, n.disk.Remove("data/cluster/damaged"))
	must.Do(t, r.Close())
	r, _ = n.mustBeMember()
	n.r = r
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
}

// harmedTable makes a node's copy one that cannot be read, and returns the names of its tables.
func (n *node) harmedTable() (tables []string) {
	tables = disktest.Look(n.t, n.disk, n.r.store.dir.Shard(1, 0), ".sst")
	flip(n.t, n.disk, tables[0], -60)
	return tables
}

// keeps checks that what is kept has all the tables.
func (n *node) keeps(tables []string) {
	n.t.Helper()
	kept := strings.Join(disktest.Look(n.t, n.disk, "data/cluster/damaged", ".sst"), " ")
	for _, table := range tables {
		if !strings.Contains(kept, n.disk.PathBase(table)) {
			n.t.Errorf("%s is not kept; there are %s", table, kept)
		}
	}
}

// failing has a node's file system refuse some operations.
func (n *node) failing(kind errorfs.OpKind, path string) (*Replicas, *[]told, error) {
	return n.memberOn(faulty(n.disk, func(op errorfs.Op) error {
		if op.Kind == kind && strings.HasPrefix(op.Path, path) {
			return &os.PathError{Op: "read", Path: op.Path, Err: syscall.EIO}
		}
		return nil
	}))
}

// An empty copy that has taken the place of a damaged one is kept nowhere when it is damaged, too.
func TestAsideOutlivesAnEmptyCopy(t *testing.T) {
	n := filled(t)
	n.close()
	tables := n.harmedTable()
	for range 3 {
		r, heard := n.mustBeMember()
		if n.keeps(tables); len(*heard) != 1 {
			t.Errorf("told %+v", *heard)
		}
		must.Do(t, r.Close())
		_, leaves := Leave(n.options().Options)
		_, read := Read(n.options().Options, func(int, *Contents) error { return nil })
		for _, err := range []error{leaves, read} {
			if !errors.Is(err, ErrUnfinished) || !strings.Contains(err.Error(), "cluster/damaged") {
				t.Errorf("a directory without the shard's jobs is taken for whole: %v", err)
			}
		}
		n.harmedTable()
	}
}

// Where the damaged copy cannot be moved, the start is refused, and neither it nor the one before is gone.
func TestAsideThatFails(t *testing.T) {
	n := filled(t)
	n.close()
	tables := n.harmedTable()
	r, _ := n.mustBeMember()
	n.r = r
	n.catchUpAll()
	must.Do(t, r.Fold(0))
	must.Do(t, r.Close())
	must.Get(Read(n.options().Options, func(int, *Contents) error { return nil })) // it is not empty any more
	newer := n.harmedTable()
	for _, kind := range []errorfs.OpKind{errorfs.OpList, errorfs.OpRename} {
		if _, _, err := n.failing(kind, r.store.dir.Shard(1, 0)); !errors.Is(err, syscall.EIO) {
			t.Errorf("operation %d fails: %v", kind, err)
		}
		if n.keeps(tables); len(disktest.Look(t, n.disk, r.store.dir.Shard(1, 0), ".sst")) != len(newer) {
			t.Error("the damaged copy has gone")
		}
	}
	r, _ = n.mustBeMember()
	if n.keeps(newer); len(disktest.Look(t, n.disk, "data/cluster/damaged", ".sst")) != len(newer) {
		t.Error("the one before is still there")
	}
	must.Do(t, r.Close())
}

// With a manifest that cannot be read, all that is there is kept, or the start is refused and all is still there.
func TestAllAsideThatFails(t *testing.T) {
	n := filled(t)
	n.close()
	shard := n.r.store.dir.Shard(1, 0)
	tables := disktest.Look(t, n.disk, shard, ".sst")
	// of a larger cluster, and a replacement cut short
	for _, more := range []string{"shard-001", "shard-000" + replacedSuffix} {
		must.Get(vfs.Clone(n.disk, n.disk, shard, n.disk.PathJoin(n.disk.PathDir(shard), more), vfs.CloneSync))
	}
	flip(t, n.disk, "data/"+directory.ManifestName, 30)
	for _, kind := range []errorfs.OpKind{errorfs.OpList, errorfs.OpRename} {
		if _, _, err := n.failing(kind, shard); !errors.Is(err, syscall.EIO) ||
			len(disktest.Look(t, n.disk, "data", ".sst")) != 3*len(tables) {
			t.Errorf("operation %d fails: %v", kind, err)
		}
	}
	must.Do(t, n.disk.MkdirAll("data/gen-000002", 0o700))
	if _, _, err := n.member(); !errors.Is(err, storage.ErrCorrupt) {
		t.Errorf("with two generations: %v", err)
	}
	must.Do(t, n.disk.Remove("data/gen-000002"))
	r, _ := n.mustBeMember()
	if n.keeps(tables); len(disktest.Look(t, n.disk, "data/cluster/damaged", ".sst")) != 3*len(tables) {
		t.Errorf("kept: %v", disktest.Look(t, n.disk, "data/cluster/damaged", ".sst"))
	}
	must.Do(t, r.Close())
}

// What a disk does not give, or a newer build has written, is not damaged: the start is refused, and nothing moved.
func TestNotSetAside(t *testing.T) {
	n := filled(t)
	n.close()
	shard, refused := n.r.store.dir.Shard(1, 0), 0
	for _, kind := range []errorfs.OpKind{errorfs.OpFileRead, errorfs.OpFileReadAt} {
		for _, path := range []string{"data/" + directory.ManifestName, shard + "/MANIFEST-", shard + "/OPTIONS-",
			disktest.Look(t, n.disk, shard, ".sst")[0]} {
			r, _, err := n.failing(kind, path)
			if err == nil {
				must.Do(t, r.Close()) // it is read by the other kind
				continue
			}
			refused++
			if !errors.Is(err, syscall.EIO) || len(disktest.Look(t, n.disk, "data/cluster", "damaged")) > 0 {
				t.Errorf("%s: %v", path, err)
			}
		}
	}
	if refused < 4 {
		t.Errorf("%d starts were refused", refused)
	}
	marker := disktest.Look(t, n.disk, shard, "marker.format-version")[0]
	must.Do(t, n.disk.Rename(marker, shard+"/marker.format-version.999999.999"))
	if _, _, err := n.member(); !errors.Is(err, ErrVersion) ||
		len(disktest.Look(t, n.disk, "data/cluster", "damaged")) > 0 {
		t.Errorf("a newer format: %v", err)
	}
}
