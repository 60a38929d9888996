package pebblestore

import (
	"math/rand"
	"strings"
	"sync"
	"testing"

	"beanfield/storage"
	"beanfield/storage/must"
	"beanfield/storage/pebblestore/format"
	"beanfield/storage/turns"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// some writes turns, and waits for each.
func (h *history) some(t *testing.T, l storage.Log, n int) {
	t.Helper()
	for range n {
		h.turn(l)
		mustCommit(t, l)
	}
}

// A directory becomes the beginning of a cluster, which goes on with its jobs, and a node's directory
// becomes that of a server by itself again.
func TestIntoAClusterAndOut(t *testing.T) {
	for seed := range int64(6) {
		fs := vfs.NewCrashableMem()
		h := newHistory(rand.New(rand.NewSource(seed)))
		h.large = seed == 5
		turnsOf := func(l storage.Log) { h.some(t, l, h.r.Intn(60)) }
		s, l := openOne(t, fs)
		turnsOf(l)
		foldSome(t, l, h.r.Intn(3))
		must.Do(t, s.Close())

		log := &kept{most: 5_000}
		n := &node{t: t, log: log, disk: fs, dir: "node"}
		o := n.options().Options
		var origins []turns.Place
		c, err := Found(o, "data", "test", noted(&origins))
		must.Do(t, err)
		if now := h.now(); c.Jobs != len(now.jobs) || c.Queues != len(now.queues) || c.MaxID != now.maxID {
			t.Fatalf("seed %d: counted %+v, of %d jobs, %d queues, highest id %d", seed, c, len(now.jobs),
				len(now.queues), now.maxID)
		}
		if origins[0].Number != 0 || origins[0].Hash == 0 {
			t.Fatalf("the log begins at %+v: an empty copy would be taken for this one", origins[0])
		}
		log.origin = origins[0]
		n.open()
		if got := n.r.Place(0); got != origins[0] {
			t.Fatalf("the copy stands at %+v, not %+v", got, origins[0])
		}
		s2, serving := n.serve()
		h.isIn(t, serving, seed, ", ", "as a cluster's")
		turnsOf(serving)
		n.catchUp(log.add(turns.AppendMembers(nil, []byte("nodes"))))
		if turnsOf(serving); seed%2 == 0 {
			must.Do(t, serving.(*owned).foldAll())
		}
		must.Do(t, s2.Close())
		n.close()

		c, err = Leave(o)
		must.Do(t, err)
		if _, again := Leave(o); c.Jobs != len(h.now().jobs) || again == nil {
			t.Fatalf("seed %d: counted %+v; a second time: %v", seed, c, again)
		}
		single := small(fs, storage.Always)
		single.Dir = "node"
		alone := noTicks(single)
		l = mustOpen(t, alone, 1)[0].(*shardLog)
		h.isIn(t, l, seed, ", ", "by itself again")
		turnsOf(l)
		must.Do(t, alone.Close())
		alone = noTicks(single)
		l = mustOpen(t, alone, 1)[0].(*shardLog)
		h.isIn(t, l, seed, ", ", "after a restart")
		if left := must.Get(format.Members(l.db)); left != nil {
			t.Errorf("seed %d: a server by itself has the nodes %q", seed, left)
		}
		must.Do(t, alone.Close())
	}
}

// Whatever has been written when a power cut ends it, a directory is refused, or it is whole.
func TestIntoAClusterCutShort(t *testing.T) {
	for at := 1; at < 60; at++ {
		fs := vfs.NewCrashableMem()
		s, l := openOne(t, fs)
		h := newHistory(rand.New(rand.NewSource(1)))
		h.some(t, l, 20)
		must.Do(t, s.Close())
		var crashed *vfs.MemFS
		count := 0
		cut := eachSync(fs, "node", func() {
			if count++; count == 3*at {
				crashed = fs.CrashClone(vfs.CrashCloneCfg{})
			}
		})
		n := &node{t: t, log: &kept{}, disk: fs, dir: "node"}
		o := n.options().Options
		o.FS = cut
		var origins []turns.Place
		_, err := Found(o, "data", "test", noted(&origins))
		must.Do(t, err)
		if crashed == nil {
			return
		}
		o.FS = crashed
		if _, ok, err := newStore(o).dir.ReadManifest(); err == nil && !ok {
			continue // an empty directory: it would be a new node's
		}
		r, err := OpenReplicas(ReplicaOptions{Options: o, Cluster: "test", Origins: origins})
		if err != nil {
			continue // it says so
		}
		n = &node{t: t, log: &kept{origin: origins[0], most: 1000}, disk: crashed, dir: "node", r: r}
		s2, owned := n.serve()
		h.isIn(t, owned, "cut at sync ", at*3)
		must.Do(t, s2.Close())
		must.Do(t, r.Close())
	}
	t.Error("it never ends")
}

// noted keeps where logs begin.
func noted(all *[]turns.Place) func([]turns.Place) error {
	return func(origins []turns.Place) error {
		*all = origins
		return nil
	}
}

// eachSync is a disk that calls a function before each sync of something in a directory, one at a time.
func eachSync(fs vfs.FS, dir string, fn func()) vfs.FS {
	var mu sync.Mutex
	return faulty(fs, func(op errorfs.Op) error {
		if (op.Kind == errorfs.OpFileSync || op.Kind == errorfs.OpFileSyncData || op.Kind == errorfs.OpRename) &&
			strings.HasPrefix(op.Path, dir) {
			mu.Lock()
			defer mu.Unlock()
			fn()
		}
		return nil
	})
}
