package pebblestore

import (
	"errors"
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

func salvaged(t *testing.T, fs vfs.FS) (map[uint64]storagetest.Stored, repair.Salvaged) {
	t.Helper()
	found, _, result := salvagedAll(t, fs)
	return found, result
}

// salvagedAll returns the queues, too.
func salvagedAll(t *testing.T, fs vfs.FS) (map[uint64]storagetest.Stored, map[string]*storage.Queue, repair.Salvaged) {
	t.Helper()
	found, queues := map[uint64]storagetest.Stored{}, map[string]*storage.Queue{}
	result := must.Get(repair.Salvage("data", fs, func(j *storage.Job, body []byte) error {
		if _, twice := found[j.ID]; twice {
			t.Errorf("job %d came twice", j.ID)
		}
		found[j.ID] = storagetest.Keep(j, body)
		return nil
	}, func(q *storage.Queue) error {
		if _, twice := queues[q.Tube]; twice {
			t.Errorf("queue %s came twice", q.Tube)
		}
		queues[q.Tube] = q
		return nil
	}))
	return found, queues, result
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

// In an undamaged directory everything is found, and nothing else, whether it is in
// logs or in tables.
func TestSalvageOfAllThereIs(t *testing.T) {
	inLogs := vfs.NewMem()
	jobs := fillLarge(t, inLogs, 2, 2000, 3)
	inTables, more := compacted(t)
	for _, c := range []struct {
		fs   vfs.FS
		want []storagetest.Stored
	}{{inLogs, jobs}, {inTables, more}} {
		before := c.fs.(*vfs.MemFS).String()
		found, result := salvaged(t, c.fs)
		storagetest.SameJobs(t, storagetest.InOrder(valuesOf(found)), storagetest.InOrder(c.want))
		if result.Jobs != len(c.want) || len(result.Damaged) != 0 {
			t.Errorf("%+v", result)
		}
		if c.fs.(*vfs.MemFS).String() != before {
			t.Error("the directory was changed")
		}
	}
}

// The highest id is found whatever is left to tell it, so that no id is given
// twice.
func TestSalvageFindsTheHighestID(t *testing.T) {
	inLogs := vfs.NewMem()
	fill(t, inLogs, 2, 2000) // the last job is deleted
	inTables, _ := compacted(t)
	for _, fs := range []vfs.FS{inLogs, inTables} {
		if _, result := salvaged(t, fs); result.MaxID != 2000 {
			t.Errorf("highest id is %d, want 2000", result.MaxID)
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
		found, result := salvaged(t, fs)
		if c.want == 0 { // the highest that is left
			c.want = all[len(all)-1].ID
		}
		if len(found) != len(all) || result.MaxID != c.want {
			t.Errorf("%s: %d of %d jobs, highest id %d, want %d", c.what, len(found), len(all), result.MaxID, c.want)
		}
	}
}

// plant writes an entry into both shards behind the store's back.
func plant(t *testing.T, fs vfs.FS, kind byte, id uint64, value func(key []byte) []byte) {
	t.Helper()
	for i := range 2 {
		s := newStore(small(fs, storage.Always))
		st := must.Get(openStore(s.o.sharing(fs, 1), database.NewFault(nil), s.dir.Shard(1, i), "planted", func(*pebble.Options) {}))
		key := format.Key(kind, id)
		must.Do(t, errors.Join(st.db.Set(key[:], value(key[:]), pebble.NoSync), st.db.Compact(t.Context(), []byte{0}, []byte{0xff}, false), st.close()))
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
	found, result := salvaged(t, fs)
	text := strings.Join(result.Damaged, "\n")
	for _, path := range append(tables, directory.ManifestName) {
		if !strings.Contains(text, path) {
			t.Errorf("%s is damaged, which is not reported: %s", path, text)
		}
	}
	for _, j := range all {
		if f, ok := found[j.ID]; ok && f.Body != j.Body {
			t.Errorf("%v was found as %v", j, f)
		}
	}
	if len(found) < len(all)/2 || len(found) == len(all) {
		t.Errorf("%d of %d jobs were found", len(found), len(all))
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
