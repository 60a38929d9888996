package pebblestore

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"beanfield/storage"
	"beanfield/storage/effort"
	"beanfield/storage/must"
	"beanfield/storage/pebblestore/database"
	"beanfield/storage/pebblestore/directory"
	"beanfield/storage/pebblestore/disktest"
	"beanfield/storage/pebblestore/repair"
	"beanfield/storage/storagetest"
	"beanfield/storage/turns"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// hoard is a file system on which all manifests, and some of the tables, stay that a database
// has no more use for, as they do for a while in real life. If all stayed, all deletes would be
// there too.
type hoard struct{ vfs.FS }

func (h hoard) Remove(name string) error {
	if strings.HasPrefix(h.PathBase(name), "MANIFEST-") {
		return nil
	}
	if number, ok := database.Numbered(h.PathBase(name), "", ".sst"); ok && number%2 == 0 {
		return nil
	}
	return h.FS.Remove(name)
}

// left is a directory as a server has left it, and what was in it.
type left struct {
	fs        *vfs.MemFS
	shards    int
	histories []*history
	lax       bool // turns may have been lost whose large bodies are there
}

// mustOpenAsIs opens a store whose jobs stay where they are: a history does not ask on which
// shard a tube belongs.
func mustOpenAsIs(t *testing.T, s *store, shards int) []storage.Log {
	t.Helper()
	return must.Get(s.Open(shards, nil))
}

// leave makes a store with so many shards, does random things in several lives, each of which
// ends with a clean stop or a kill, the last one perhaps with a power cut, and returns what
// is there afterwards.
func leave(t *testing.T, seed int64, shards int) left {
	t.Helper()
	r := rand.New(rand.NewSource(seed))
	d := left{fs: vfs.NewCrashableMem(), shards: shards}
	for i := range shards {
		h := newHistory(rand.New(rand.NewSource(r.Int63())))
		h.large, h.nextID = true, uint64(1+i*1_000_000)
		h.shard = fmt.Sprint("of shard ", i, " ")
		d.histories = append(d.histories, h)
	}
	for lives := r.Intn(3); lives >= 0; lives-- {
		d.life(t, r, lives == 0)
	}
	return d
}

func (d *left) life(t *testing.T, r *rand.Rand, last bool) {
	o := small(hoard{d.fs}, []storage.SyncMode{storage.Always, storage.Never}[r.Intn(2)])
	d.lax = o.Sync == storage.Never
	o.LogBytes = int64(d.shards) * leastSlot * logSlots
	s := noTicks(o)
	logs := mustOpenAsIs(t, s, d.shards)
	for range 20 + r.Intn(100) {
		i := r.Intn(d.shards)
		l := logs[i].(*shardLog)
		for range 1 + r.Intn(10) {
			d.histories[i].turn(l)
		}
		mustCommit(t, l)
		dice := r.Intn(20)
		if foldSome(t, l, dice); dice == 2 {
			_ = l.compact()
		}
	}
	percent := 100
	if last {
		percent = r.Intn(101)
		d.histories[0].turn(logs[0]) // nobody waits for it
		logs[0].Commit(make(committed, 1))
	}
	killed := clone(d.fs, percent, r)
	must.Do(t, s.Close())
	if r.Intn(3) > 0 {
		d.fs = killed
	}
}

// served is what a server finds.
type served struct {
	state
	lax bool
}

func (d *left) serve(t *testing.T) served {
	t.Helper()
	all := served{state{map[uint64]storagetest.Stored{}, map[string]*storage.Queue{}, 0}, d.lax}
	s := noTicks(small(clone(d.fs, 100, rand.New(rand.NewSource(1))), storage.Always))
	for _, l := range mustOpenAsIs(t, s, d.shards) {
		got := look(t, l)
		for _, j := range got.jobs {
			all.jobs[j.ID] = j
		}
		for _, q := range got.queues {
			all.queues[q.Tube] = q
		}
		all.maxID = max(all.maxID, got.maxID)
	}
	must.Do(t, s.Close())
	return all
}

// equals checks that a salvage has found just what a server finds.
func (want served) equals(t *testing.T, h haul) {
	t.Helper()
	storagetest.SameJobs(t, valuesInOrder(h.jobs), valuesInOrder(want.jobs))
	// A power cut may leave a body without its record. A salvage does not give its id again.
	if !maps.EqualFunc(h.queues, want.queues, sameQueue) || h.MaxID < want.maxID ||
		h.MaxID > want.maxID+10 && !want.lax || h.MayBeBack > 0 || h.UnknownIDs > 0 {
		t.Errorf("%d queues, want %d; highest id, want %d: %+v", h.Queues, len(want.queues), want.maxID, h.Salvaged)
	}
}

// What a salvage finds of what servers have left. Each of these is tried with several directories, and what a
// server finds in them; with one of them at least it must show what it is for.
func TestSalvageOfWhatIsLeft(t *testing.T) {
	t.Parallel()
	ways := []func(t *testing.T, r *rand.Rand, d left, want served) (shown bool){
		findsWhatAServerFinds, withoutAManifest, withAWrongMarker, logEndsBeforeItsStore,
	}
	shown := make([]bool, len(ways))
	seeds := max(6, *seeds/100)
	if effort.Brief() {
		seeds = 3 // of one shard, of two, and of three
	}
	for seed := range int64(seeds) {
		d := leave(t, seed, 1+int(seed%3))
		want := d.serve(t)
		for i, way := range ways {
			r := rand.New(rand.NewSource(seed))
			one := d
			one.fs = clone(d.fs, 100, r)
			if way(t, r, one, want) {
				shown[i] = true
			}
			if t.Failed() {
				t.Fatalf("seed %d, way %d", seed, i)
			}
		}
	}
	if slices.Contains(shown, false) {
		t.Errorf("some show nothing: %v", shown)
	}
}

// A salvage of an undamaged directory finds what a server finds in it, and nothing that is left
// in logs and tables that are no longer in use. It changes nothing.
func findsWhatAServerFinds(t *testing.T, _ *rand.Rand, d left, want served) bool {
	before := filesOf(t, d.fs)
	h := salvaged(t, d.fs)
	want.equals(t, h)
	if h.report != "" || !maps.Equal(filesOf(t, d.fs), before) {
		t.Errorf("it says %q, or the directory was changed", h.report)
	}
	return h.Jobs > 0
}

// If no manifest can be read, nothing is missing that a server would have found; and it is said
// how many jobs may be back that were deleted.
func withoutAManifest(t *testing.T, r *rand.Rand, d left, want served) (back bool) {
	cut := ruin{"the end is cut off", func(r *rand.Rand, text []byte) []byte {
		return text[:len(text)-1-r.Intn(len(text)-1)]
	}}
	for _, way := range []ruin{ruins[0], ruins[2], cut, ruins[5]} {
		fs := clone(d.fs, 100, r)
		for i := range d.shards {
			path := currentManifest(t, fs, shardDir(i))
			replace(t, fs, path, way.do(r, []byte(disktest.Read(t, fs, path))))
		}
		h := salvaged(t, fs)
		extra := h.back(want.jobs)
		for id, j := range want.jobs {
			if got, ok := h.jobs[id]; !ok || got.Body != j.Body {
				t.Errorf("%s: job %d is missing, or different", way.what, id)
			}
		}
		if !maps.EqualFunc(h.queues, want.queues, sameQueue) && !h.QueuesInDoubt ||
			strings.Count(h.report, "MANIFEST-") < d.shards || extra > h.MayBeBack || h.MaxID < want.maxID ||
			h.MayBeBack == h.Jobs && h.Jobs > 100 {
			t.Errorf("%s: %d queues, want %d; %d of %d jobs are back; highest id, want %d: %+v", way.what, h.Queues,
				len(want.queues), extra, h.Jobs, want.maxID, h.Salvaged)
		}
		back = back || extra > 0
	}
	return back
}

func shardDir(i int) string { return fmt.Sprintf("data/gen-000001/shard-%03d", i) }

func currentManifest(t *testing.T, fs vfs.FS, shard string) string {
	t.Helper()
	w := repair.Witness{FS: fs, Dir: shard, Names: must.Get(fs.List(shard))}
	return fs.PathJoin(shard, must.Get(w.Marker("manifest")))
}

// Without the marker, or with one that names an older manifest, the newest manifest counts, and
// the salvage says so.
func withAWrongMarker(t *testing.T, r *rand.Rand, d left, want served) (older bool) {
	shard := shardDir(0)
	for _, path := range append(disktest.Look(t, d.fs, shard, "MANIFEST-"), "") {
		fs := clone(d.fs, 100, r)
		if path == currentManifest(t, fs, shard) {
			continue
		}
		removeMarkers(t, fs, shard)
		if path != "" {
			disktest.Write(t, fs, fs.PathJoin(shard, "marker.manifest.000099."+fs.PathBase(path)), "")
		}
		h := salvaged(t, fs)
		want.equals(t, h)
		if strings.Contains(h.report, "is used here") {
			older = true
		} else if path == "" {
			t.Errorf("there is no marker, and it says %q", h.report)
		}
		if t.Failed() {
			t.Fatalf("marker %q: %q", path, h.report)
		}
	}
	return older
}

func removeMarkers(t *testing.T, fs vfs.FS, shard string) {
	t.Helper()
	for _, marker := range disktest.Look(t, fs, shard, "marker.manifest") {
		must.Do(t, fs.Remove(marker))
	}
}

// What the store has folded leaves the log slot by slot, and not always the oldest first. Older
// turns that are still there say nothing when newer ones are not, even if a power cut took the
// log's mark of these: the store knows better.
func logEndsBeforeItsStore(t *testing.T, r *rand.Rand, d left, _ served) (older bool) {
	s := noTicks(small(d.fs, storage.Always))
	l := mustOpenAsIs(t, s, d.shards)[0].(*shardLog)
	log := directory.Turns(d.fs, shardDir(0))
	mark := disktest.Look(t, d.fs, log, database.ProgressName)[0]
	text := disktest.Read(t, d.fs, mark)
	h := newHistory(r)
	h.nextID = d.histories[0].nextID
	h.some(t, l, 20)
	must.Do(t, errors.Join(l.foldAll(), s.Close()))
	disktest.Write(t, d.fs, mark, text)
	newest, least, most := newestSlot(t, d.fs, log)
	disktest.Write(t, d.fs, newest, strings.Repeat("\x00", len(disktest.Read(t, d.fs, newest))))
	want := d.serve(t)
	removeMarkers(t, d.fs, shardDir(0))
	want.equals(t, salvaged(t, d.fs))
	return least < most
}

// newestSlot finds the file of a log that has its last record, and the numbers of the first and
// the last that there are.
func newestSlot(t *testing.T, fs vfs.FS, dir string) (path string, least, most uint64) {
	t.Helper()
	least = math.MaxUint64
	for _, slot := range disktest.Look(t, fs, dir, repair.SlotSuffix) {
		for b := []byte(disktest.Read(t, fs, slot)); len(b) >= turns.Overhead; b = b[8:] {
			if r, _, _, err := turns.Decode(b); err == nil {
				if least = min(least, r.Number); r.Number > most {
					most, path = r.Number, slot
				}
			}
		}
	}
	return path, least, most
}
