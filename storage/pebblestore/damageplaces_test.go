package pebblestore

import (
	"errors"
	"flag"
	"maps"
	"math/rand"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"beanfield/storage"
	"beanfield/storage/effort"
	"beanfield/storage/must"
	"beanfield/storage/pebblestore/directory"
	"beanfield/storage/pebblestore/disktest"
	"beanfield/storage/storagetest"

	"github.com/cockroachdb/pebble/v2/vfs"
)

var places = flag.Int("places", 160, "how many places the damage tests try in each of their directories")

// placesToTry is fewer where each takes long.
func placesToTry() int {
	if effort.Brief() {
		return max(*places/4, 1)
	}
	return *places
}

// ruin is one way to damage a file.
type ruin struct {
	what string
	do   func(r *rand.Rand, text []byte) []byte // nil removes it
}

var ruins = []ruin{
	{"a bit is flipped", func(r *rand.Rand, text []byte) []byte {
		text[r.Intn(len(text))] ^= 1 << r.Intn(8)
		return text
	}},
	{"512 bytes are zeroed", func(r *rand.Rand, text []byte) []byte {
		at := r.Intn(len(text)) &^ 511
		clear(text[at:min(len(text), at+512)])
		return text
	}},
	{"a block is zeroed", func(r *rand.Rand, text []byte) []byte {
		at := r.Intn(len(text)) &^ 4095
		clear(text[at:min(len(text), at+4096)])
		return text
	}},
	{"the end is cut off", func(r *rand.Rand, text []byte) []byte { return text[:r.Intn(len(text))] }},
	{"the end is zeroed", func(r *rand.Rand, text []byte) []byte { clear(text[r.Intn(len(text)):]); return text }},
	{"it is removed", func(*rand.Rand, []byte) []byte { return nil }},
}

// damagedStore is a directory that was left in some way, with what was acknowledged.
type damagedStore struct {
	fs    *vfs.MemFS
	h     *history
	least int // the first state that a start may find
}

// fullStore makes one: tables, large bodies, turns that were folded and are still in the log, and
// turns that were not. It is left by an orderly stop, or as kill -9 leaves it: with all that was written.
func fullStore(t *testing.T, seed int64, stopped bool) damagedStore {
	t.Helper()
	fs := vfs.NewCrashableMem()
	h := newHistory(rand.New(rand.NewSource(seed)))
	h.large = true
	o := small(fs, storage.Always)
	o.LogBytes = leastSlot * logSlots
	s := noTicks(o)
	l := mustOpen(t, s, 1)[0].(*shardLog)
	for i := range 200 {
		h.turn(l)
		mustCommit(t, l)
		if i == 60 || i == 120 {
			must.Do(t, l.foldAll())
		}
	}
	killed := clone(fs, 100, rand.New(rand.NewSource(1)))
	if must.Do(t, s.Close()); stopped {
		return damagedStore{clone(fs, 0, rand.New(rand.NewSource(1))), h, h.turns()}
	}
	return damagedStore{killed, h, h.turns()}
}

func clone(fs *vfs.MemFS, percent int, r *rand.Rand) *vfs.MemFS {
	return fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: percent, RNG: randv2(r.Int63())})
}

// files are all files below a directory.
func files(t *testing.T, fs vfs.FS, dir string) (paths []string) {
	t.Helper()
	names := must.Get(fs.List(dir))
	slices.Sort(names)
	for _, n := range names {
		path := fs.PathJoin(dir, n)
		if info, err := fs.Stat(path); err != nil {
			t.Fatal(err)
		} else if info.IsDir() {
			paths = append(paths, files(t, fs, path)...)
		} else {
			paths = append(paths, path)
		}
	}
	return paths
}

func filesOf(t *testing.T, fs vfs.FS) map[string]string {
	all := make(map[string]string)
	for _, path := range files(t, fs, "data") {
		all[path] = disktest.Read(t, fs, path)
	}
	return all
}

// startOn starts on a directory and reads all that is there. It returns the error that
// refused it.
func (d *damagedStore) startOn(t *testing.T, fs *vfs.MemFS) (got sight, err error) {
	t.Helper()
	s := noTicks(small(fs, storage.Always))
	logs, err := s.Open(1, byName(1))
	if err != nil {
		return got, err
	}
	defer func() {
		// A log that met damage may not close any more.
		if failed := s.Close(); err == nil {
			err = failed
		}
	}()
	err = logs[0].ReplayQueues(func(q *storage.Queue) error {
		got.queues = append(got.queues, q)
		return nil
	})
	if err != nil {
		return got, err
	}
	err = logs[0].Replay(func(j *storage.Job, body []byte) error {
		got.jobs = append(got.jobs, storagetest.Keep(j, body))
		return nil
	})
	got.maxID = logs[0].MaxID()
	return got, err
}

// excuse gives jobs their bodies back that the start has named as damaged.
func (d *damagedStore) excuse(jobs []storagetest.Stored) {
	for i := range jobs {
		if j := &jobs[i]; j.Damaged {
			j.Damaged, j.Body = false, d.h.now().jobs[j.ID].Body
		}
	}
}

// try damages one file and checks that the start is refused or nothing is missing.
func (d *damagedStore) try(t *testing.T, what, path string, text []byte) (refused bool) {
	t.Helper()
	return tryFile(t, d.fs, what, path, text, func(fs *vfs.MemFS) error {
		got, err := d.startOn(t, fs)
		if err == nil {
			d.excuse(got.jobs)
			if d.h.nth(d.least, got) < 0 {
				t.Errorf("%s: the start found something else than was acknowledged, and said nothing: turn %d of %d",
					what, d.h.nth(0, got), d.h.turns())
			}
		}
		return err
	})
}

// replace gives a file another content, or removes it if that is nil.
func replace(t *testing.T, fs vfs.FS, path string, text []byte) {
	t.Helper()
	if text == nil {
		must.Do(t, fs.Remove(path))
		return
	}
	disktest.Write(t, fs, path, string(text))
}

// tryFile replaces a file. The start reports a loss by itself; if it returns an error, that names the
// file, and nothing has changed.
func tryFile(t *testing.T, from *vfs.MemFS, what, path string, text []byte, start func(fs *vfs.MemFS) error) (
	refused bool) {
	t.Helper()
	fs := clone(from, 100, rand.New(rand.NewSource(1)))
	replace(t, fs, path, text)
	before := filesOf(t, fs)
	err := start(fs)
	if err == nil {
		return false
	}
	if !errors.Is(err, storage.ErrCorrupt) || !strings.Contains(err.Error(), nameFor(path)) {
		t.Errorf("%s: the error does not name it as damaged: %v", what, err)
	}
	early, inTable := strings.Contains(err.Error(), "Nothing was changed"), strings.HasSuffix(path, ".sst")
	if !early && !inTable && !strings.HasSuffix(path, directory.ManifestName) {
		t.Errorf("%s: the start was refused late: %v", what, err)
	}
	after := filesOf(t, fs)
	delete(after, "data/"+directory.LockName)
	delete(before, "data/"+directory.LockName)
	// What is wrong inside a table is found when it is read, and Pebble is at work then.
	if (early || !inTable) && !maps.Equal(before, after) {
		t.Errorf("%s: the start was refused, and has changed something", what)
	}
	return true
}

// nameFor is what a refusal must name: for a marker its kind, since the file is gone.
func nameFor(path string) string {
	if dir, base, ok := strings.Cut(path, "marker."); ok {
		kind, _, _ := strings.Cut(base, ".")
		return dir + "marker." + kind
	}
	if strings.HasSuffix(path, ".turns") {
		return filepath.Dir(path) // a record may have been at the beginning of any slot
	}
	return path
}

// VE1, VE3: what was acknowledged does not vanish without a word, whatever is damaged.
func TestDamageAnywhere(t *testing.T) {
	for name, stopped := range map[string]bool{"kill": false, "stop": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := fullStore(t, 1, stopped)
			if _, err := d.startOn(t, clone(d.fs, 100, rand.New(rand.NewSource(1)))); err != nil {
				t.Fatalf("undamaged: %v", err)
			}
			counts := make(map[string][2]int)
			r := rand.New(rand.NewSource(max(*seed, 1)))
			paths := files(t, d.fs, "data")
			tables := 0
			for n := 0; n < placesToTry(); n++ {
				path := paths[n%len(paths)]
				// A database that met damage in a table is left open, and goes on to work.
				if strings.HasSuffix(path, ".sst") {
					if tables++; tables > 8 {
						continue
					}
				}
				way, text := ruins[r.Intn(len(ruins))], []byte(disktest.Read(t, d.fs, path))
				if len(text) == 0 {
					way = ruins[len(ruins)-1]
				}
				c := counts[way.what]
				c[1]++
				if d.try(t, path+": "+way.what, path, way.do(r, text)) {
					c[0]++
				}
				counts[way.what] = c
			}
			for what, c := range counts {
				t.Logf("%s: %d of %d refused", what, c[0], c[1])
			}
		})
	}
}
