package pebblestore

import (
	"errors"
	"fmt"
	"maps"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"beanfield/storage"
	"beanfield/storage/must"
	"beanfield/storage/pebblestore/database"
	"beanfield/storage/pebblestore/directory"
	"beanfield/storage/pebblestore/disktest"
	"beanfield/storage/pebblestore/format"
	"beanfield/storage/pebblestore/repair"
	"beanfield/storage/storagetest"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// haul is what a salvage has found.
type haul struct {
	repair.Salvaged
	jobs   map[uint64]storagetest.Stored
	queues map[string]*storage.Queue
	report string
}

func salvaged(t *testing.T, fs vfs.FS) haul {
	t.Helper()
	h := haul{jobs: map[uint64]storagetest.Stored{}, queues: map[string]*storage.Queue{}}
	h.Salvaged = must.Get(repair.Salvage("data", fs, func(j *storage.Job, body []byte) error {
		h.jobs[j.ID] = storagetest.Keep(j, body)
		return nil
	}, func(q *storage.Queue) error {
		h.queues[q.Tube] = q
		return nil
	}))
	if h.Jobs != len(h.jobs) || h.Queues != len(h.queues) {
		t.Errorf("%d of %d jobs or %d of %d queues came twice", h.Jobs-len(h.jobs), h.Jobs, h.Queues-len(h.queues),
			h.Queues)
	}
	h.report = strings.Join(h.Damaged, "\n")
	return h
}

// has checks that a salvage has found some jobs, and has said one thing, or nothing if that is empty.
func (h haul) has(t *testing.T, what, said string, jobs ...storagetest.Stored) {
	t.Helper()
	if storagetest.SameJobs(t, valuesInOrder(h.jobs), jobs); (said == "") != (h.report == "") ||
		!strings.Contains(h.report, said) {
		t.Errorf("%s: it says %q, not %q", what, h.report, said)
	}
}

// back is how many jobs were found that had been deleted.
func (h haul) back(state map[uint64]storagetest.Stored) (n int) {
	for id := range h.jobs {
		if _, ok := state[id]; !ok {
			n++
		}
	}
	return n
}

// blank leaves nothing in the slots of a log.
func blank(t *testing.T, fs vfs.FS, dir string) {
	t.Helper()
	for _, slot := range disktest.Look(t, fs, dir, repair.SlotSuffix) {
		disktest.Write(t, fs, slot, strings.Repeat("\x00", len(disktest.Read(t, fs, slot))))
	}
}

// compacted fills a directory and makes tables of all that is in it.
func compacted(t *testing.T) (vfs.FS, []storagetest.Stored) {
	t.Helper()
	fs := vfs.NewMem()
	all := fillLarge(t, fs, 2, 2000, 3)
	s := noTicks(small(fs, storage.Always))
	for _, l := range mustOpen(t, s, 2) {
		must.Do(t, errors.Join(l.(*shardLog).foldAll(), l.(*shardLog).compact()))
	}
	must.Do(t, s.Close())
	return fs, all
}

// The highest id is found whatever is left to tell it, so that no id is given
// twice.
func TestSalvageFindsTheHighestID(t *testing.T) {
	inLogs := vfs.NewMem()
	fill(t, inLogs, 2, 2000) // the last job is deleted
	inTables, _ := compacted(t)
	for _, fs := range []vfs.FS{inLogs, inTables} {
		if h := salvaged(t, fs); h.MaxID != 2000 {
			t.Errorf("highest id is %d, want 2000", h.MaxID)
		}
	}
	garbage := []byte("\x01 with a wrong checksum")
	for _, c := range []struct {
		what  string
		kind  byte
		id    uint64
		value func(key []byte) []byte
		want  uint64
	}{
		{"a record that cannot be read", format.KeyRecord, 3000, func([]byte) []byte { return garbage }, 3000},
		{"an update without its record", format.KeyUpdate, 3001, func([]byte) []byte { return garbage }, 3001},
		{"the note of a deleted job", format.KeyMaxID, 0, func([]byte) []byte { return format.MaxIDValue(3002) }, 3002},
		{"a note that cannot be read", format.KeyMaxID, 0, func([]byte) []byte { return garbage }, 0},
	} {
		fs, all := compacted(t)
		plant(t, fs, c.kind, c.id, c.value)
		if c.want == 0 { // the highest that is left
			c.want = all[len(all)-1].ID
		}
		if h := salvaged(t, fs); h.Jobs != len(all) || h.MaxID != c.want {
			t.Errorf("%s: %d of %d jobs, highest id %d, want %d", c.what, h.Jobs, len(all), h.MaxID, c.want)
		}
	}
}

// plant writes an entry into both shards behind the store's back.
func plant(t *testing.T, fs vfs.FS, kind byte, id uint64, value func(key []byte) []byte) {
	t.Helper()
	for i := range 2 {
		s := newStore(small(fs, storage.Always))
		st := must.Get(openStore(s.o.sharing(fs, 1), database.NewFault(nil), s.dir.Shard(1, i), "planted",
			func(*pebble.Options) {}))
		key := format.Key(kind, id)
		must.Do(t, errors.Join(st.db.Set(key[:], value(key[:]), pebble.NoSync), st.db.Compact(t.Context(), []byte{0},
			[]byte{0xff}, false), st.close()))
	}
}

// With a damaged block in every table, and without any manifest, most is found,
// and whole.
func TestSalvageOfDamagedTables(t *testing.T) {
	fs, all := compacted(t)
	tables := disktest.Look(t, fs, "data", ".sst")
	for _, path := range tables {
		damage(t, fs, path)
	}
	for _, path := range append(disktest.Look(t, fs, "data", "MANIFEST-"), "data/"+directory.ManifestName) {
		must.Do(t, fs.Remove(path))
	}
	h := salvaged(t, fs)
	for _, path := range append(tables, directory.ManifestName) {
		if !strings.Contains(h.report, path) {
			t.Errorf("%s is damaged, which is not reported: %s", path, h.report)
		}
	}
	for _, j := range all {
		if f, ok := h.jobs[j.ID]; ok && f.Body != j.Body {
			t.Errorf("%v was found as %v", j, f)
		}
	}
	if h.Jobs < len(all)/2 || h.Jobs == len(all) {
		t.Errorf("%d of %d jobs were found", h.Jobs, len(all))
	}
}

// damage flips a bit in the middle of a file.
func damage(t *testing.T, fs vfs.FS, path string) {
	t.Helper()
	text := []byte(disktest.Read(t, fs, path))
	text[len(text)/2] ^= 4
	disktest.Write(t, fs, path, string(text))
}

func TestSalvageStopsWithItsCaller(t *testing.T) {
	fs, _ := compacted(t)
	enough := errors.New("enough")
	n := 0
	_, err := repair.Salvage("data", fs, func(*storage.Job, []byte) error { n++; return enough }, nil)
	if !errors.Is(err, enough) || n != 1 {
		t.Errorf("%d calls, %v", n, err)
	}
}

// Salvage gives what can be read, or says that something cannot; and every job that is
// missing had an id that it tells of.
func TestSalvageTellsWhatIsMissing(t *testing.T) {
	t.Parallel()
	d := fullStore(t, 5+max(*seed, 1), false)
	state, queues := d.h.now().jobs, d.h.now().queues
	r := rand.New(rand.NewSource(max(*seed, 1)))
	paths := files(t, d.fs, "data/gen-000001")
	missing, told := 0, 0
	for n := 0; n < placesToTry(); n++ {
		fs := clone(d.fs, 100, r)
		path := paths[n%len(paths)]
		what := ruined(t, r, fs, path)
		// Without the log's mark nobody knows that the end of the log is gone.
		if other := paths[r.Intn(len(paths))]; n%3 == 0 && fs.PathBase(path) != "synced" &&
			fs.PathBase(other) != "synced" {
			what += ", " + ruined(t, r, fs, other)
		}
		h := salvaged(t, fs)
		if h.report != "" {
			told++
		}
		if strings.Contains(h.report, "<nil>") || h.back(state) > h.MayBeBack ||
			!maps.EqualFunc(h.queues, queues, sameQueue) && !h.QueuesInDoubt {
			t.Errorf("%s: %d jobs are back, and there are %d of %d queues: it says %+v", what, h.back(state), h.Queues,
				len(queues), h.Salvaged)
		}
		for id, want := range state {
			got, ok := h.jobs[id]
			switch {
			case ok && got.Same(want):
			case h.report == "":
				t.Errorf("%s: job %d is missing or different, and nothing is said", what, id)
			case ok && got.Body != want.Body:
				t.Errorf("%s: job %d has another body", what, id)
			case !ok:
				if missing++; id <= h.MaxID && !h.namesID(id) {
					t.Errorf("%s: job %d is missing, and not among %s\n%s", what, id, h.Unknown, h.report)
				}
			}
		}
		if t.Failed() {
			t.FailNow()
		}
	}
	if missing == 0 || told == 0 {
		t.Errorf("%d jobs were missing, damage was told of %d times", missing, told)
	}
}

// ruined damages a file in some way, unless it is empty or gone.
func ruined(t *testing.T, r *rand.Rand, fs vfs.FS, path string) (what string) {
	t.Helper()
	if info, err := fs.Stat(path); err != nil || info.Size() == 0 {
		return ""
	}
	way := ruins[r.Intn(len(ruins))]
	replace(t, fs, path, way.do(r, []byte(disktest.Read(t, fs, path))))
	return path + ": " + way.what
}

// namesID says whether a report has an id, in a range or as a job whose body is not whole.
func (h haul) namesID(id uint64) bool {
	for _, r := range strings.Split(h.Unknown, ", ") {
		var from, to uint64
		if n, _ := fmt.Sscanf(r, "%d-%d", &from, &to); n == 1 {
			to = from
		} else if n == 0 {
			_, _ = fmt.Sscanf(r, "and %d more ranges up to %d", &from, &to)
			from = 0
		}
		if from <= id && id <= to {
			return true
		}
	}
	return strings.Contains(h.report, fmt.Sprintf("job %d ", id))
}

// Where a part of many queues cannot be read, the others are saved, and it is said that
// some may be missing.
func TestSalvageOfDamagedQueues(t *testing.T) {
	fs := vfs.NewMem()
	s, l := openOne(t, fs)
	want := make(map[string]*storage.Queue)
	r := rand.New(rand.NewSource(3))
	for n := range 5000 {
		q := storagetest.RandomQueue(r, fmt.Sprint("service-with-a-long-name-", n))
		q.First = fmt.Sprintf("%x", r.Uint64()) // so that a block is not full of the same
		want[q.Tube] = q
		l.PutQueue(q)
	}
	all := []storagetest.Stored{storagetest.RandomJob(r, 1, "t"), storagetest.RandomJob(r, 2, "t")}
	for i := range all {
		put(l, &all[i])
	}
	mustCommit(t, l)
	must.Do(t, s.Close())
	s, l = openOne(t, fs)
	must.Do(t, errors.Join(l.compact(), s.Close()))
	blank(t, fs, "data") // or the queues would be found there
	tables := disktest.Look(t, fs, "data", ".sst")
	path := slices.MaxFunc(tables, func(a, b string) int {
		return len(disktest.Read(t, fs, a)) - len(disktest.Read(t, fs, b))
	})
	whole := disktest.Read(t, fs, path)
	for _, at := range []int{0, len(whole) / 4, len(whole) / 2} {
		disktest.Write(t, fs, path, whole[:at]+"damage"+whole[at+6:])
		h := salvaged(t, fs)
		h.has(t, fmt.Sprint("damage at ", at), path, all...)
		for tube, q := range h.queues {
			if !sameQueue(q, want[tube]) {
				t.Errorf("damage at %d: %+v, want %+v", at, q, want[tube])
			}
		}
		if h.Queues < len(want)*4/5 || h.Queues == len(want) || !h.QueuesInDoubt || h.UnknownIDs != 0 ||
			at > 0 && len(h.Damaged) != 1 {
			t.Errorf("damage at %d: %d of %d queues, %+v", at, h.Queues, len(want), h.Salvaged)
		}
	}
}
