package ondisk

import (
	"bytes"
	"fmt"
	"io"
	"math/rand"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/record"
)

// newLogWriter calls open with a number of the type it wants, which Pebble keeps to
// itself.
func newLogWriter[N ~uint64](open func(io.Writer, N, record.LogWriterConfig) *record.LogWriter, f io.Writer, number uint64, syncOffsets bool) *record.LogWriter {
	return open(f, N(number), record.LogWriterConfig{WriteWALSyncOffsets: func() bool { return syncOffsets }})
}

// written is a file as Pebble writes it, with the records in it.
type written struct {
	text    []byte
	records [][]byte
	ends    []int64
}

func randomRecord(r *rand.Rand) []byte {
	n := r.Intn(200)
	if r.Intn(8) == 0 {
		n = r.Intn(3 * blockSize)
	}
	b := make([]byte, n)
	r.Read(b)
	return b
}

// pebbleLog is a log as Pebble writes it.
func pebbleLog(t testing.TB, r *rand.Rand, number uint64, records int, close, syncOffsets bool) written {
	t.Helper()
	var w written
	var buf bytes.Buffer
	log := newLogWriter(record.NewLogWriter, &buf, number, syncOffsets)
	for range records {
		rec := randomRecord(r)
		end, err := log.WriteRecord(rec)
		if err != nil {
			t.Fatal(err)
		}
		w.records, w.ends = append(w.records, rec), append(w.ends, end)
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	w.text = buf.Bytes()
	if !close {
		w.text = w.text[:len(w.text)-numHeader]
	}
	return w
}

// pebbleManifest is a manifest as Pebble writes it.
func pebbleManifest(t testing.TB, r *rand.Rand, records int) written {
	t.Helper()
	var w written
	var buf bytes.Buffer
	log := record.NewWriter(&buf)
	for range records {
		rec := randomRecord(r)
		end, err := log.WriteRecord(rec)
		if err != nil {
			t.Fatal(err)
		}
		w.records, w.ends = append(w.records, rec), append(w.ends, end)
	}
	w.text = buf.Bytes()
	return w
}

// endsAt says whether a record ends at a place: what is left of its block may follow.
func (w *written) endsAt(i int, end int64) bool {
	left := w.ends[i] - end
	return left == 0 || left > 0 && left < syncHeader && w.ends[i]%blockSize == 0
}

// found is what a walk has found.
type found struct {
	shape Shape
	all   []Record
}

func (w *written) read(t testing.TB, text []byte, number uint64) (f found) {
	t.Helper()
	keep := func(r *Record) error {
		k := *r
		k.Payload = bytes.Clone(r.Payload)
		f.all = append(f.all, k)
		return nil
	}
	var err error
	if number == 0 {
		f.shape, err = Edits(bytes.NewReader(text), int64(len(text)), keep)
	} else {
		f.shape, err = Log(bytes.NewReader(text), int64(len(text)), number, keep)
	}
	if err != nil {
		t.Fatal(err)
	}
	return f
}

const number = 0x0701

// each runs fn for many files of all kinds. The number is 0 for a manifest.
func each(t *testing.T, fn func(t *testing.T, r *rand.Rand, w written, number uint64, closed bool)) {
	for seed := range int64(60) {
		r := rand.New(rand.NewSource(seed))
		n := 1 + r.Intn(80)
		for _, closed := range []bool{true, false} {
			for _, syncOffsets := range []bool{true, false} {
				fn(t, r, pebbleLog(t, r, number, n, closed, syncOffsets), number, closed)
			}
		}
		fn(t, r, pebbleManifest(t, r, n), 0, false)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// What Pebble wrote is read, to its end; also when zeros stand behind it.
func TestWholeFiles(t *testing.T) {
	each(t, func(t *testing.T, r *rand.Rand, w written, number uint64, closed bool) {
		f := w.read(t, w.text, number)
		for i, rec := range f.all {
			if !bytes.Equal(rec.Payload, w.records[i]) || !w.endsAt(i, rec.End) || rec.Broken || rec.Guessed {
				t.Errorf("record %d is %+v", i, rec)
			}
		}
		if len(f.all) != len(w.records) || f.shape.Good != int64(len(w.text)) || f.shape.Ended != closed || f.shape.Gaps != nil {
			t.Errorf("%d of %d records, %+v", len(f.all), len(w.records), f.shape)
		}
		g := w.read(t, append(bytes.Clone(w.text), make([]byte, r.Intn(3*blockSize))...), number)
		if len(g.all) != len(f.all) || len(g.shape.Gaps) != 0 || g.shape.Good < w.ends[len(w.ends)-1] {
			t.Errorf("with zeros behind it: %+v", g.shape)
		}
	})
}

// Of a damaged file, all is read that ends before the damage, and what is whole behind
// it; and nothing that nobody wrote. Good does not go beyond the damage.
func TestDamagedFiles(t *testing.T) {
	var lost, behind int
	each(t, func(t *testing.T, r *rand.Rand, w written, number uint64, closed bool) {
		text := bytes.Clone(w.text)
		from := r.Intn(len(text))
		to := min(from+1+r.Intn(600), len(text))
		for i := from; i < to; i++ {
			text[i] ^= byte(1 + r.Intn(255))
		}
		f := w.read(t, text, number)
		if f.shape.Good > int64(from) {
			t.Errorf("bytes %d to %d are damaged, and Good is %d", from, to, f.shape.Good)
		}
		at := 0
		for i, rec := range w.records {
			start := int64(0)
			if i > 0 {
				start = w.ends[i-1]
			}
			here := at < len(f.all) && w.endsAt(i, f.all[at].End)
			if here && (!bytes.Equal(f.all[at].Payload, rec) || f.all[at].Broken != (start >= int64(from))) {
				t.Errorf("record %d is %+v", i, f.all[at])
			}
			switch hit := start < int64(to) && w.ends[i] > int64(from); {
			case here && hit && !overPadding(start, int64(from)):
				t.Errorf("record %d is read, and was damaged", i)
			case here:
				at++
			case w.ends[i] <= int64(from):
				t.Errorf("record %d is not read, which ends before the damage", i)
			case !hit:
				lost++
			}
			if here && start >= int64(to) {
				behind++
			}
		}
		if at != len(f.all) {
			t.Errorf("%d records are read that nobody wrote", len(f.all)-at)
		}
	})
	if behind == 0 || lost > behind/20 {
		t.Errorf("%d records behind the damage are read, %d are not", behind, lost)
	}
}

// overPadding says whether damage hits only what is between two records: what is left
// of a block.
func overPadding(start, from int64) bool {
	return start%blockSize > blockSize-syncHeader && from < start-start%blockSize+blockSize
}

// A torn end is not a gap: nothing readable comes after it. In a log that is written
// over an older one, the remains of the older one are not read.
func TestTornLog(t *testing.T) {
	each(t, func(t *testing.T, r *rand.Rand, w written, number uint64, closed bool) {
		at := r.Intn(len(w.text))
		text := bytes.Clone(w.text[:at])
		if number != 0 {
			old := pebbleLog(t, r, number-2, 40, false, true)
			if at < len(old.text) {
				text = append(text, old.text[at:]...)
			}
		}
		f := w.read(t, text, number)
		whole := 0
		for whole < len(w.ends) && w.ends[whole] <= int64(at) {
			whole++
		}
		if len(f.all) != whole || f.shape.Gaps != nil || f.shape.Good > int64(len(text)) {
			t.Errorf("cut at %d: %d records of %d, %+v", at, len(f.all), whole, f.shape)
		}
	})
}

// A body that looks like a piece of a log is not taken for one, but where damage hides
// the way; and then it is marked.
func TestForgedRecords(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	forged := pebbleLog(t, r, number, 3, false, true)
	var buf bytes.Buffer
	log := newLogWriter(record.NewLogWriter, &buf, number, true)
	body := slices.Concat(make([]byte, 100), forged.text[:min(len(forged.text), 2000)])
	for range 2 {
		if _, err := log.WriteRecord(body); err != nil {
			t.Fatal(err)
		}
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	w := written{}
	if f := w.read(t, buf.Bytes(), number); len(f.all) != 2 {
		t.Errorf("%d records", len(f.all))
	}
	text := buf.Bytes()
	text[6] = 0xff // the type of the first
	f := w.read(t, text, number)
	for _, rec := range f.all {
		if !rec.Guessed {
			t.Errorf("%+v is taken for certain", rec)
		}
	}
	if len(f.all) == 0 {
		t.Error("nothing was tried")
	}
}

// Whatever stands in a file, it is read to its end without a panic.
func FuzzWalk(f *testing.F) {
	r := rand.New(rand.NewSource(1))
	f.Add(pebbleLog(f, r, number, 5, true, true).text, uint16(100), byte(1))
	f.Add(pebbleManifest(f, r, 5).text, uint16(10), byte(0x80))
	f.Fuzz(func(t *testing.T, text []byte, at uint16, with byte) {
		text = bytes.Clone(text) // the fuzzer's own may not be changed
		if int(at) < len(text) {
			text[at] ^= with
		}
		size := int64(len(text))
		check := func(r *Record) error {
			if r.Start >= r.End || r.End > size {
				return fmt.Errorf("%+v", r)
			}
			return nil
		}
		for _, walk := range []func() (Shape, error){
			func() (Shape, error) { return Log(bytes.NewReader(text), size, number, check) },
			func() (Shape, error) { return Edits(bytes.NewReader(text), size, check) },
		} {
			shape, err := walk()
			if err != nil || shape.Good > size {
				t.Errorf("%+v, %v", shape, err)
			}
		}
		_, _, _ = ReadManifest(bytes.NewReader(text), size)
	})
}
