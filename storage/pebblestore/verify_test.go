package pebblestore

import (
	"errors"
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"beanfield/storage"
	"beanfield/storage/pebblestore/ondisk"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// V3: without a mark, the stamps tell of all groups but the last.
func TestStampsAlone(t *testing.T) {
	d := fullStore(t, 2, killed(t))
	d.unmark(t)
	w := witnessOf(t, d.fs)
	newest := w.logs[len(w.logs)-1]
	last := lastRecord(t, d.fs, newest)
	r := rand.New(rand.NewSource(1))
	refused := 0
	for range 100 {
		way := ruins[r.Intn(3)]
		inside := ruin{way.what, func(r *rand.Rand, text []byte) []byte {
			way.do(r, text[:last])
			return text
		}}
		if d.try(t, r, newest.path, inside) {
			refused++
		}
	}
	// Only damage to the last group is not seen.
	if refused < 100 {
		t.Errorf("%d of 100 were refused, of %d bytes", refused, last)
	}
}

// lastRecord is where the last group of a log begins.
func lastRecord(t *testing.T, fs vfs.FS, l logSeen) (start int64) {
	t.Helper()
	text := read(t, fs, l.path)
	_, err := ondisk.Log(strings.NewReader(text), int64(len(text)), l.number, func(r *ondisk.Record) error {
		start = r.Start
		return nil
	})
	if err != nil || start == 0 {
		t.Fatalf("the last group begins at %d, %v", start, err)
	}
	return start
}

// twoLogs is what a crash leaves while the memtable of an older log is being flushed.
func twoLogs(t *testing.T) damagedStore {
	t.Helper()
	mem := vfs.NewCrashableMem()
	gate := make(chan struct{})
	var held atomic.Bool
	fs := errorfs.Wrap(mem, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if held.Load() && op.Kind == errorfs.OpCreate && strings.HasSuffix(op.Path, ".sst") {
			<-gate
		}
		return nil
	}))
	h := newHistory(rand.New(rand.NewSource(5)))
	o := small(fs, storage.Always)
	s := noTicks(o)
	l := mustOpen(t, s, 1)[0].(*shardLog)
	for range 40 {
		h.turn(l)
		mustCommit(t, l)
	}
	held.Store(true)
	if _, err := l.db.AsyncFlush(); err != nil {
		t.Fatal(err)
	}
	for range 40 {
		h.turn(l)
		mustCommit(t, l)
	}
	left := clone(mem, 100, rand.New(rand.NewSource(1)))
	close(gate)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return damagedStore{left, h, h.turns()}
}

// Of two logs that count, the older one is whole and there, with a mark and without.
func TestOlderLog(t *testing.T) {
	d := twoLogs(t)
	w := witnessOf(t, d.fs)
	if len(w.logs) != 2 || !w.logs[0].shape.Ended || w.logs[1].shape.Ended {
		t.Fatalf("the logs are %+v", w.logs)
	}
	r := rand.New(rand.NewSource(1))
	older := w.logs[0]
	inside := ruin{"a bit of it is flipped", func(r *rand.Rand, text []byte) []byte {
		text[r.Int63n(older.shape.Good)] ^= 1 << r.Intn(8)
		return text
	}}
	short := ruin{"it is cut off", func(r *rand.Rand, text []byte) []byte { return text[:r.Int63n(older.shape.Good)] }}
	for _, marked := range []bool{true, false} {
		for range 40 {
			for _, way := range []ruin{inside, short, ruins[len(ruins)-1]} {
				if !d.try(t, r, older.path, way) {
					t.Fatalf("marked %v: %s, and the start succeeded", marked, way.what)
				}
			}
		}
		if marked {
			d.unmark(t)
		}
	}
}

// unmark removes the mark, so that the clones do not have it either.
func (d *damagedStore) unmark(t *testing.T) {
	t.Helper()
	dir := "data/gen-000001/shard-000"
	if err := errors.Join(d.fs.Remove(d.fs.PathJoin(dir, markName)), syncDir(d.fs, dir)); err != nil {
		t.Fatal(err)
	}
	if _, ok, _ := readMark(clone(d.fs, 100, rand.New(rand.NewSource(1))), dir); ok {
		t.Fatal("the mark is still there")
	}
}

// witnessOf verifies the one shard of a directory.
func witnessOf(t *testing.T, fs vfs.FS) *witness {
	t.Helper()
	w, err := newStore(small(fs, storage.Always)).verifyShard("data/gen-000001/shard-000")
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// The end of a log is cut, and only the mark can tell; also when one slot of it is gone.
func TestMarkAlone(t *testing.T) {
	for _, leave := range []func(*testing.T) func(*vfs.MemFS, *store) *vfs.MemFS{killed, stoppedInOrder} {
		d := fullStore(t, 3, leave(t))
		w := witnessOf(t, d.fs)
		newest := w.logs[len(w.logs)-1]
		claim := w.claims[newest.number]
		if claim == 0 || newest.shape.Good != claim {
			t.Fatalf("the mark tells of %d bytes, of %d", claim, newest.shape.Good)
		}
		last := ruin{"its last byte is cut off", func(_ *rand.Rand, text []byte) []byte { return text[:claim-1] }}
		if !d.try(t, rand.New(rand.NewSource(1)), newest.path, last) {
			t.Error("a log that is too short is taken for whole")
		}
		// The other slot is as good, but for the last sync.
		d.least--
		path := "data/gen-000001/shard-000/" + markName
		text := []byte(read(t, d.fs, path))
		clear(text[int(w.mark.count%2)*markSlot:][:100])
		write(t, d.fs, path, string(text))
		half := ruin{"it is cut in half", func(_ *rand.Rand, text []byte) []byte { return text[:claim/2] }}
		if !d.try(t, rand.New(rand.NewSource(1)), newest.path, half) {
			t.Error("without one slot of the mark, half a log is taken for whole")
		}
	}
}

// What a mark tells survives its encoding, and nothing else is taken for one.
func TestMarkCoding(t *testing.T) {
	m := mark{count: 7, key: 1 << 63, logs: []extent{{3, 100}, {5, 1 << 40}}, manifests: []extent{{4, 9}}}
	b := m.appendTo(nil)
	got, ok := decodeMark(b)
	if !ok || fmt.Sprint(got) != fmt.Sprint(m) {
		t.Errorf("%+v, %v", got, ok)
	}
	for i := range b {
		for bit := range 8 {
			c := slices.Clone(b)
			c[i] ^= 1 << bit
			if got, ok := decodeMark(c); ok {
				t.Fatalf("bit %d of byte %d is flipped, and it reads %+v", bit, i, got)
			}
		}
		if _, ok := decodeMark(b[:i]); ok {
			t.Fatalf("%d bytes are taken for a mark", i)
		}
	}
	full := mark{logs: make([]extent, mostLogs), manifests: make([]extent, mostManifests)}
	if n := len(full.appendTo(nil)); n > markSlot {
		t.Errorf("a full mark has %d bytes", n)
	}
	s := stamp{key: 77, synced: extent{300, 1 << 33}}
	if got, ok := decodeStamp(s.appendTo(nil)); !ok || got != s {
		t.Errorf("%+v, %v", got, ok)
	}
}

// A mark forgets the oldest logs, and a file never gets shorter.
func TestExtend(t *testing.T) {
	var list []extent
	for n := range uint64(100) {
		list = extend(list, n, 10, mostLogs)
		list = extend(list, n, 5, mostLogs)
	}
	if len(list) != mostLogs || list[0] != (extent{100 - mostLogs, 10}) || list[mostLogs-1] != (extent{99, 10}) {
		t.Errorf("%v", list)
	}
}

// The tables that a manifest names are those that Pebble knows.
func TestManifestIsRead(t *testing.T) {
	fs := vfs.NewMem()
	h := newHistory(rand.New(rand.NewSource(4)))
	h.large = true
	s := noTicks(small(fs, storage.Always))
	l := mustOpen(t, s, 1)[0].(*shardLog)
	for i := range 300 {
		h.turn(l)
		mustCommit(t, l)
		if i%50 == 0 {
			if err := l.db.Flush(); err != nil {
				t.Fatal(err)
			}
		}
		if i == 200 {
			l.compact()
		}
	}
	want := make(map[uint64]uint64)
	levels, err := l.db.SSTables()
	if err != nil {
		t.Fatal(err)
	}
	for _, tables := range levels {
		for _, table := range tables {
			want[uint64(table.FileNum)] = table.Size
		}
	}
	w := witnessOf(t, fs)
	for n, table := range w.manifest.Tables {
		if want[n] != table.Size || len(table.Smallest) == 0 || string(table.Smallest) > string(table.Largest) {
			t.Errorf("%+v has %d bytes", table, want[n])
		}
	}
	if len(want) < 2 || len(w.manifest.Tables) != len(want) {
		t.Errorf("%d tables, want %d", len(w.manifest.Tables), len(want))
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// A directory whose manifest tells of too few shards, or of too many, is refused before
// any is removed.
func TestWrongNumberOfShards(t *testing.T) {
	for _, old := range []bool{false, true} {
		for from, to := range map[string]string{`"shards": 2`: `"shards": 3`, `"generation": 1`: `"generation": 2`, `"shards": 2,`: `"shards": 1,`} {
			fs := vfs.NewMem()
			fill(t, fs, 2, 100)
			path := "data/" + manifestName
			text := strings.Replace(read(t, fs, path), from, to, 1)
			if old {
				text = text[:strings.Index(text, ",\n  \"sum\"")] + "\n}\n"
				text = strings.Replace(text, strings.TrimSuffix(from, ","), strings.TrimSuffix(to, ","), 1)
			}
			write(t, fs, path, text)
			before := fs.String()
			_, err := noTicks(small(fs, storage.Always)).Open(2, byName(2))
			if !errors.Is(err, storage.ErrCorrupt) || fs.String() != before {
				t.Errorf("%s: %v", text, err)
			}
		}
	}
}

// A manifest of an older build gets its checksum.
func TestOldManifestGetsItsSum(t *testing.T) {
	fs := vfs.NewMem()
	fill(t, fs, 2, 100)
	path := "data/" + manifestName
	text := read(t, fs, path)
	write(t, fs, path, text[:strings.Index(text, ",\n  \"sum\"")]+"\n}\n")
	s := noTicks(small(fs, storage.Always))
	mustOpen(t, s, 2)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if got := read(t, fs, path); got != text {
		t.Errorf("%s", got)
	}
}

// Pebble does not look for the bit that might have been flipped in a large block.
func TestDamagedBlockIsToldAtOnce(t *testing.T) {
	fs := vfs.NewMem()
	s := noTicks(small(fs, storage.Always))
	l := mustOpen(t, s, 1)[0].(*shardLog)
	j := largeJob(1, 2*storage.LargeBody)
	mustPut(t, l, j)
	mustCommit(t, l)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	largest, path := 0, ""
	for _, p := range lookFor(t, fs, "data", ".sst") {
		if n := len(read(t, fs, p)); n > largest {
			largest, path = n, p
		}
	}
	damage(t, fs, path)
	f, err := fs.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	r, err := openTable(&checkedTable{File: f, name: path})
	if err != nil {
		t.Fatal(err)
	}
	from := pieceKey(1, 0)
	_, err = walkTable(r, from[:], func(pebble.InternalKeyKind, uint64, []byte, []byte) error { return nil })
	if !errors.Is(err, storage.ErrCorrupt) || !strings.Contains(err.Error(), path+": corrupt data: the block at byte ") {
		t.Errorf("%v", err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
}
