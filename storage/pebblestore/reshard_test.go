package pebblestore

import (
	"errors"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"beanfield/storage"
	"beanfield/storage/effort"
	"beanfield/storage/must"
	"beanfield/storage/pebblestore/directory"
	"beanfield/storage/pebblestore/disktest"
	"beanfield/storage/pebblestore/powercut"
	"beanfield/storage/storagetest"
	"beanfield/storage/turns"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// fill writes jobs in every state to n shards and returns them.
func fill(t *testing.T, fs vfs.FS, n, jobs int) []storagetest.Stored {
	return fillLarge(t, fs, n, jobs, 0)
}

// fillLarge makes the first so many of them large.
func fillLarge(t *testing.T, fs vfs.FS, n, jobs, large int) []storagetest.Stored {
	t.Helper()
	return fillBy(t, fs, n, jobs, large, byName(n))
}

// fillBy does it with another rule for a tube's shard.
func fillBy(t *testing.T, fs vfs.FS, n, jobs, large int, shardOf func(string) int) []storagetest.Stored {
	t.Helper()
	r := rand.New(rand.NewSource(int64(n)))
	s := noTicks(small(fs, storage.Always))
	logs := must.Get(s.Open(n, shardOf))
	tubes := filledTubes
	var rank uint64
	var all []storagetest.Stored
	for id := uint64(1); id <= uint64(jobs); id++ {
		j := storagetest.RandomJob(r, id, tubes[r.Intn(len(tubes))])
		l := logs[shardOf(j.Tube)]
		if id <= uint64(large) {
			j.Fill(storage.LargeBody + int(id)*1000)
		}
		put(l, &j)
		if r.Intn(3) == 0 {
			storagetest.RandomUpdate(r, &j, &rank)
			l.Update(&j.Job)
		}
		if r.Intn(4) == 0 || id == uint64(jobs) {
			l.Delete(&j.Job)
		} else {
			all = append(all, j)
		}
	}
	for _, tube := range filledTubes {
		logs[shardOf(tube)].PutQueue(filledQueue(tube))
	}
	for _, l := range logs {
		mustCommit(t, l)
	}
	must.Do(t, s.Close())
	return all
}

// filledTubes have the jobs of fill, and are queues.
var filledTubes = []string{"a", "b", "c", "d", "e", "f", "g", "default"}

func filledQueue(tube string) *storage.Queue {
	return storagetest.RandomQueue(rand.New(rand.NewSource(int64(tube[0]))), tube)
}

// holds opens a directory with n shards and checks all that is in it. The queues are some
// of fill's.
func holds(t *testing.T, fs vfs.FS, n int, want []storagetest.Stored, maxID uint64, queues ...string) {
	t.Helper()
	s := noTicks(small(fs, storage.Always))
	logs := mustOpen(t, s, n)
	var highest uint64
	parts := make([][]storagetest.Stored, n)
	for _, j := range want {
		i := byName(n)(j.Tube)
		parts[i] = append(parts[i], asPut(j))
	}
	for i, l := range logs {
		mine := make(map[string]*storage.Queue)
		for _, tube := range queues {
			if byName(n)(tube) == i {
				mine[tube] = filledQueue(tube)
			}
		}
		storagetest.SameQueues(t, replayedQueues(t, l), mine)
		got := replayed(t, l)
		for k := range got {
			got[k] = asPut(got[k])
		}
		storagetest.SameJobs(t, got, storagetest.InOrder(parts[i]))
		highest = max(highest, l.MaxID())
	}
	if highest != maxID {
		t.Errorf("highest id is %d, should be %d", highest, maxID)
	}
	must.Do(t, s.Close())
	names := must.Get(fs.List("data"))
	for _, name := range names {
		switch name {
		case directory.LockName, directory.ManifestName:
		default:
			if m, _, _ := s.dir.ReadManifest(); fs.PathJoin("data", name) != s.dir.Generation(m.Generation) {
				t.Errorf("%s is left in the directory", name)
			}
		}
	}
}

// asPut is a job as if all that has happened to it had been said when it was put: a move makes it so.
func asPut(j storagetest.Stored) storagetest.Stored {
	if j.Updated = false; j.Item != nil && j.Item.Moved {
		j.Item = j.Item.Clone()
		j.Item.Moved, j.Item.Keys = false, nil
	}
	return j
}

func TestAnotherNumberOfShards(t *testing.T) {
	fs := vfs.NewMem()
	all := fillLarge(t, fs, 2, 500, 3)
	for _, n := range []int{3, 64, 1, 2, 2, 5} {
		holds(t, fs, n, all, 500, filledTubes...)
	}
}

// A death at any file operation of a change, with what was not synced lost in
// part, leaves a directory that any number of shards can open, complete.
func TestDeathDuringAChangeOfShards(t *testing.T) {
	t.Parallel()
	step := 1
	if effort.Brief() {
		step = 19
	}
	base := vfs.NewCrashableMem()
	deathWhileMoving(t, base, 4, step, 60, fill(t, base, 2, 60))
}

// Fewer deaths, of a larger directory.
func TestDeathDuringAMoveOfLargeBodies(t *testing.T) {
	t.Parallel()
	base := vfs.NewCrashableMem()
	deathWhileMoving(t, base, 4, 23, 8, fillLarge(t, base, 2, 8, 2))
}

// deathWhileMoving opens a directory with n shards, and looks at what a death would leave before
// each so many operations.
func deathWhileMoving(t *testing.T, base *vfs.MemFS, n, step, jobs int, all []storagetest.Stored) {
	t.Helper()
	at := 0
	c := &camera{disk: &powercut.Mem{MemFS: base}, r: rand.New(rand.NewSource(1)), when: func(errorfs.Op) []int {
		if at++; at%step != 1%step {
			return nil
		}
		return []int{at * 37 % 101}
	}}
	s := noTicks(small(errorfs.Wrap(c.disk, c), storage.Always))
	mustOpen(t, s, n)
	must.Do(t, s.Close())
	for i, p := range c.photos {
		holds(t, p.fs, 1+i%4, all, uint64(jobs), filledTubes...)
		if t.Failed() {
			t.Fatal(p.what)
		}
	}
	t.Logf("%d operations, %d deaths", at, len(c.photos))
}

// A change that the disk has no room for is refused before anything is touched,
// although there is room for each shard by itself.
func TestAChangeOfShardsNeedsSpace(t *testing.T) {
	fs, all := compacted(t)
	var sizes [2]uint64
	for i := range sizes {
		for _, path := range disktest.Look(t, fs, fmt.Sprintf("data/gen-000001/shard-%03d", i), ".sst") {
			sizes[i] += uint64(len(disktest.Read(t, fs, path)))
		}
	}
	both, larger := sizes[0]+sizes[1], max(sizes[0], sizes[1])
	slot, slots := noTicks(small(fs, storage.Always)).o.slots(2)
	logs := 2 * uint64(slot) * uint64(slots) // whatever is in them
	free := func(n uint64) {
		fs.(*vfs.MemFS).TestingSetDiskUsage(vfs.DiskUsage{AvailBytes: n, TotalBytes: 1 << 30, UsedBytes: 1 << 29})
	}
	before := fs.(*vfs.MemFS).String()
	for _, n := range []uint64{1000, larger + 1000, both - 1} {
		free(n)
		_, err := noTicks(small(fs, storage.Always)).Open(3, byName(3))
		if !errors.Is(err, storage.ErrNoSpace) {
			t.Fatalf("open with %d bytes free for %d: %v", n, both, err)
		}
		var needed, said uint64
		text := err.Error()[strings.Index(err.Error(), "needs about"):]
		if _, err := fmt.Sscanf(text, "needs about %d bytes; %d are free", &needed, &said); err != nil ||
			needed < both || needed > both+both/8+logs || said != n {
			t.Errorf("%s, for %d bytes and %d free", text, both, n)
		}
		if after := fs.(*vfs.MemFS).String(); after != before {
			t.Errorf("the directory was changed from\n%s\nto\n%s", before, after)
		}
	}
	free(1 << 29)
	holds(t, fs, 3, all, 2000, filledTubes...)
}

// A node's copies get another number of shards while the node is stopped. Whatever has been written when a power cut
// ends that, the old ones count, or the new ones, and where these begin has been noted; in either case the jobs are
// complete, and it can be said again.
func TestDeathDuringAReshardingOfCopies(t *testing.T) {
	t.Parallel()
	base := vfs.NewCrashableMem()
	all := fillLarge(t, base, 2, 60, 2)
	o := noTicks(small(base, storage.Always)).o
	o.Dir = "node"
	must.Get(Found(o, "data", "test", noted(new([]turns.Place))))
	must.Do(t, errors.Join(base.RemoveAll("data"), base.Rename("node", "data"), directory.SyncDir(base, "/")))
	o.Dir = "data"
	step := 7
	if effort.Brief() {
		step = 179
	}
	at := 0
	c := &camera{disk: &powercut.Mem{MemFS: base}, r: rand.New(rand.NewSource(1)), when: func(errorfs.Op) []int {
		if at++; at%step != 1 {
			return nil
		}
		return []int{at * 37 % 101}
	}}
	was, counts := reshardNoted(o, errorfs.Wrap(c.disk, c), 5)
	if len(was) != 2 || was[0].Hash == 0 || counts.Shards != 5 || counts.Jobs != len(all) || counts.MaxID != 60 {
		t.Errorf("it stood at %v, and counted %+v", was, counts)
	}
	end := base.CrashClone(vfs.CrashCloneCfg{})
	for _, p := range append(c.photos, photo{fs: end, what: "at the end"}) {
		o := o
		o.FS = p.fs
		m, _, err := newStore(o).dir.Usable()
		must.Do(t, err)
		if _, missing := p.fs.Stat("noted"); m.Shards == 5 && missing != nil {
			t.Error("the new shards count, and it was not noted where they begin")
		}
		if p.fs == end {
			if m.Shards != 5 {
				t.Error("it has not been done")
			}
			for range 2 {
				must.Do(t, Return(o, 2))
			}
			m.Shards = 2
		}
		if m.Shards == 2 {
			reshardNoted(o, p.fs, 3)
		}
		must.Get(Leave(o))
		holds(t, p.fs, 1+len(p.what)%4, all, 60, filledTubes...)
		if t.Failed() {
			t.Fatal(p.what)
		}
	}
	t.Logf("%d operations, %d deaths", at, len(c.photos))
}

// reshardNoted does it on a disk, and notes there that it knows where the new logs begin.
func reshardNoted(o Options, fs vfs.FS, n int) (was []turns.Place, c Counts) {
	o.FS = fs
	note := func() error {
		f := must.Get(fs.Create("noted", directory.Category))
		return errors.Join(f.Sync(), f.Close(), directory.SyncDir(fs, "/"))
	}
	begins := func(copies []turns.Place) ([]turns.Place, error) {
		was = copies
		return beginnings(n), nil
	}
	c = must.Get(Resharding{o, n, byName(n), begins, note}.Run())
	return was, c
}

// beginnings are where logs begin.
func beginnings(n int) (all []turns.Place) {
	for i := range n {
		all = append(all, turns.Place{Origin: 100 + uint64(i), Hash: 1 + uint64(i)})
	}
	return all
}

// What the cluster has decided about its nodes is carried over; while shards differ in that, a change is under way.
// Copies that a cluster is to begin with can be read.
func TestReshardingCarriesMembers(t *testing.T) {
	fs := vfs.NewCrashableMem()
	fill(t, fs, 2, 20)
	o := noTicks(small(fs, storage.Always)).o
	o.Dir = "node"
	var origins []turns.Place
	must.Get(Found(o, "data", "test", noted(&origins)))
	say := func(text string, shards ...int) {
		r := must.Get(OpenReplicas(ReplicaOptions{Options: o, Cluster: "test", Origins: origins}))
		for _, i := range shards {
			rec := turns.Record{Origin: origins[i].Origin, Number: r.Place(i).Number + 1, Before: r.Place(i).Hash,
				Turns: turns.AppendMembers(nil, []byte(text))}
			b, hash := turns.Append(nil, rec)
			must.Do(t, r.Take(i, rec, b, hash))
		}
		must.Do(t, r.Close())
	}
	run := func() error {
		_, err := Resharding{Options: o, Shards: 3, ShardOf: byName(3), Note: func() error { return nil },
			Begins: func([]turns.Place) ([]turns.Place, error) { return beginnings(3), nil }}.Run()
		return err
	}
	say("one", 0, 1)
	say("two", 0)
	if err := run(); err == nil || !strings.Contains(err.Error(), "a change of the cluster's nodes is under way") {
		t.Fatal("with different nodes:", err)
	}
	say("two", 1)
	must.Do(t, run())
	if n := must.Get(Read(o, func(int, *Contents) error { return nil })); n != 3 {
		t.Error("read", n, "shards")
	}
	r := must.Get(OpenReplicas(ReplicaOptions{Options: o, Cluster: "test", Origins: beginnings(3)}))
	for i := range 3 {
		if got := string(r.Members(i)); got != "two" || r.Place(i) != beginnings(3)[i] {
			t.Errorf("shard %d has the nodes %q, and stands at %v", i, got, r.Place(i))
		}
	}
	must.Do(t, r.Close())
	r = must.Get(OpenReplicas(ReplicaOptions{Options: o, Cluster: "test", Origins: beginnings(4)[1:], Anew: true,
		Member: true}))
	if r.Aside(2) == "" || r.Members(0) != nil || r.Place(0).Hash != beginnings(4)[1].Hash {
		t.Error("what was of no use is kept in", r.Aside(2), "and it stands at", r.Place(0))
	}
	must.Do(t, r.Close())
}
