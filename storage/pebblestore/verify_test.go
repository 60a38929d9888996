package pebblestore

import (
	"errors"
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"beanfield/storage"
	"beanfield/storage/turns"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

const theShard = "data/gen-000001/shard-000/"

// without removes a file, so that the clones do not have it either.
func (d *damagedStore) without(t *testing.T, path string) {
	t.Helper()
	if err := errors.Join(d.fs.Remove(path), syncDir(d.fs, d.fs.PathDir(path))); err != nil {
		t.Fatal(err)
	}
}

// spoiled is what is done to a file from a byte on.
func spoiled(from int) []ruin {
	return []ruin{
		{fmt.Sprintf("bit flipped at %d", from), func(_ *rand.Rand, b []byte) []byte { b[from] ^= 1 << (from % 8); return b }},
		{fmt.Sprintf("zeroed from %d", from), func(_ *rand.Rand, b []byte) []byte { clear(b[from:min(from+512, len(b))]); return b }},
		{fmt.Sprintf("cut off at %d", from), func(_ *rand.Rand, b []byte) []byte { return b[:from] }},
	}
}

// V1 to V4, for each region of the slots, the tables and the manifest: the start is refused, or
// nothing is lost.
func TestDamagedRegions(t *testing.T) {
	for name, leave := range map[string]func(*testing.T) func(*vfs.MemFS, *store) *vfs.MemFS{
		"kill": killed, "stop": stoppedInOrder,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := fullStore(t, 6, leave(t))
			counts := make(map[string][2]int)
			for _, path := range files(t, d.fs, theShard) {
				kind, region := d.fs.PathBase(path)[:4], 128
				switch d.names = ""; {
				case strings.HasSuffix(path, ".sst"):
					kind, region = "tables", 8<<10
					d.names, _, _ = strings.Cut(d.fs.PathBase(path), ".") // as Pebble names it
				case strings.HasSuffix(path, ".turns"):
					kind, region = "slots", 512
				}
				size := len(read(t, d.fs, path))
				for at := region / 2; at < size; at += region * every(4) {
					for _, way := range spoiled(at) {
						c := counts[kind]
						if c[1]++; d.try(t, rand.New(rand.NewSource(1)), path, way) {
							c[0]++
						}
						counts[kind] = c
					}
				}
			}
			t.Logf("refused, of all: %v", counts)
			if counts["slots"][0] == 0 || counts["tables"][0] == 0 || counts["MANI"][0] == 0 {
				t.Error("of some, none was refused")
			}
		})
	}
}

// V3: without its mark, the log tells of all groups but the last.
func TestRecordsAlone(t *testing.T) {
	d := fullStore(t, 2, killed(t))
	d.without(t, theShard+turnsName+"/"+markName)
	d.least--
	slots := slotsInUse(t, d.fs)
	r := rand.New(rand.NewSource(1))
	refused, of := 0, 0
	for i, s := range slots {
		end := s.end
		if i == len(slots)-1 {
			end = s.last
		}
		for range 60 / len(slots) {
			for _, way := range spoiled(r.Intn(end))[:2] {
				inside := ruin{way.what, func(r *rand.Rand, text []byte) []byte { way.do(r, text[:end]); return text }}
				if of++; d.try(t, r, s.path, inside) {
					refused++
				}
			}
		}
	}
	if t.Logf("%d of %d, in %d slots", refused, of, len(slots)); refused < of || len(slots) < 3 {
		t.Errorf("%d of %d were refused, in %d slots", refused, of, len(slots))
	}
}

// slotInUse is a slot that has turns which the store does not have.
type slotInUse struct {
	path      string
	last, end int // where its last record begins and ends
}

// slotsInUse finds them, the oldest first.
func slotsInUse(t *testing.T, fs vfs.FS) (slots []slotInUse) {
	t.Helper()
	var place turns.Place
	s := newStore(small(fs, storage.Always))
	err := s.readDatabase(theShard, "shard-000", func(db *pebble.DB) (err error) {
		place, err = readPlace(db)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for more := true; more; {
		more = false
		for _, path := range lookFor(t, fs, theShard+turnsName, ".turns") {
			b := []byte(read(t, fs, path))
			slot := slotInUse{path: path}
			for {
				r, hash, n, err := turns.Decode(b[slot.end:])
				if err != nil || !place.Takes(&r) {
					break
				}
				place.Number, place.Hash = r.Number, hash
				slot.last, slot.end = slot.end, slot.end+(n+7)&^7
			}
			if slot.end > 0 {
				slots, more = append(slots, slot), true
			}
		}
	}
	return slots
}

// The end of the log is cut off, or that of the manifest, and only a mark can tell; also when one
// slot of the mark of the manifests is gone.
func TestMarksAlone(t *testing.T) {
	for _, leave := range []func(*testing.T) func(*vfs.MemFS, *store) *vfs.MemFS{killed, stoppedInOrder} {
		d := fullStore(t, 3, leave(t))
		slots := slotsInUse(t, d.fs)
		r := rand.New(rand.NewSource(1))
		if last := slots[len(slots)-1]; !d.try(t, r, last.path, spoiled(last.end - 9)[2]) {
			t.Error("a log that is too short is taken for whole")
		}
		path := currentManifest(t, d.fs, theShard)
		size := len(read(t, d.fs, path))
		if !d.try(t, r, path, spoiled(size - 1)[2]) {
			t.Error("a manifest that is too short is taken for whole")
		}
		m, _, err := readMark(d.fs, theShard)
		if err != nil {
			t.Fatal(err)
		}
		text := []byte(read(t, d.fs, theShard+markName))
		clear(text[int(m.count%2)*markSlot:][:100])
		write(t, d.fs, theShard+markName, string(text))
		if !d.try(t, r, path, spoiled(size / 2)[2]) {
			t.Error("without one slot of the mark, half a manifest is taken for whole")
		}
	}
}

// V4: without its mark, a manifest that has lost its end is refused, or nothing is lost but bodies
// whose jobs are reported.
func TestPlaceAlone(t *testing.T) {
	d := fullStore(t, 4, killed(t))
	d.without(t, theShard+markName)
	d.names = strings.TrimSuffix(theShard, "/") // the manifest, or the log that does not fit it
	path := currentManifest(t, d.fs, theShard)
	refused, of := 0, 0
	for at := len(read(t, d.fs, path)) - 1; at >= 0; at -= every(13) {
		if of++; d.try(t, rand.New(rand.NewSource(1)), path, spoiled(at)[2]) {
			refused++
		}
	}
	if t.Logf("%d of %d refused", refused, of); refused < of/2 {
		t.Errorf("only %d of %d were refused", refused, of)
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
	full := mark{logs: make([]extent, 64), manifests: make([]extent, mostManifests)} // of an older build
	if n := len(full.appendTo(nil)); n > markSlot {
		t.Errorf("a full mark has %d bytes", n)
	}
}

// A mark forgets the oldest manifests, and a file never gets shorter.
func TestExtend(t *testing.T) {
	var list []extent
	for n := range uint64(100) {
		list = extend(list, n, 10, mostManifests)
		list = extend(list, n, 5, mostManifests)
	}
	if len(list) != mostManifests || list[0] != (extent{100 - mostManifests, 10}) || list[mostManifests-1] != (extent{99, 10}) {
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

// witnessOf looks at the one shard of a directory.
func witnessOf(t *testing.T, fs vfs.FS) *witness {
	t.Helper()
	w, err := newStore(small(fs, storage.Always)).look("data/gen-000001/shard-000", nil)
	if err != nil {
		t.Fatal(err)
	}
	return w
}
