package repair

import (
	"bytes"
	"fmt"
	"math/rand"
	"testing"

	"beanfield/storage/must"

	"github.com/cockroachdb/pebble/v2/record"
)

// written is a manifest as Pebble writes it, with the records in it.
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

func pebbleManifest(t testing.TB, r *rand.Rand, records int) written {
	t.Helper()
	var w written
	var buf bytes.Buffer
	log := record.NewWriter(&buf)
	for range records {
		rec := randomRecord(r)
		end := must.Get(log.WriteRecord(rec))
		w.records, w.ends = append(w.records, rec), append(w.ends, end)
	}
	w.text = buf.Bytes()
	return w
}

// whole is how many records end before a place, or only with the rest of their block behind it.
func (w *written) whole(at int64) (n int) {
	for n < len(w.ends) && (w.ends[n] <= at || w.ends[n]%blockSize == 0 && w.ends[n]-at < headerSize) {
		n++
	}
	return n
}

// read reads a file, whose records must be the first ones that were written.
func (w *written) read(t testing.TB, text []byte) (shape Shape, n int) {
	t.Helper()
	shape = must.Get(records(bytes.NewReader(text), int64(len(text)), func(start int64, payload []byte) error {
		if n >= len(w.records) || !bytes.Equal(payload, w.records[n]) || n > 0 && (start < w.ends[n-1] ||
			start-w.ends[n-1] >= headerSize) {
			t.Errorf("record %d, at byte %d, is not what was written", n, start)
		}
		n++
		return nil
	}))
	return shape, n
}

// each runs fn for many files.
func each(t *testing.T, fn func(t *testing.T, r *rand.Rand, w written)) {
	for seed := range int64(60) {
		r := rand.New(rand.NewSource(seed))
		fn(t, r, pebbleManifest(t, r, 1+r.Intn(80)))
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// What Pebble wrote is read, to its end; also when zeros stand behind it.
func TestWholeFiles(t *testing.T) {
	each(t, func(t *testing.T, r *rand.Rand, w written) {
		shape, n := w.read(t, w.text)
		if n != len(w.records) || shape != (Shape{Good: int64(len(w.text))}) {
			t.Errorf("%d of %d records, %+v", n, len(w.records), shape)
		}
		shape, m := w.read(t, append(bytes.Clone(w.text), make([]byte, r.Intn(3*blockSize))...))
		if m != n || shape.Damaged || shape.Good < w.ends[n-1] {
			t.Errorf("with zeros behind it: %+v", shape)
		}
	})
}

// Of a damaged file, all is read that ends before the damage. It is told from a torn one if a
// record begins behind the damage. Good does not go beyond the damage.
func TestDamagedFiles(t *testing.T) {
	told, ends := 0, 0
	each(t, func(t *testing.T, r *rand.Rand, w written) {
		text := bytes.Clone(w.text)
		from := r.Intn(len(text))
		to := min(from+1+r.Intn(600), len(text))
		for i := from; i < to; i++ {
			text[i] ^= byte(1 + r.Intn(255))
		}
		shape, n := w.read(t, text)
		if shape.Good > int64(from) || n != w.whole(int64(from)) {
			t.Errorf("bytes %d to %d are damaged: %d records, %+v", from, to, n, shape)
		}
		behind := false
		for i := range w.ends[:len(w.ends)-1] {
			behind = behind || w.ends[i] >= int64(to) && i >= n
		}
		switch {
		case behind && !shape.Damaged:
			t.Errorf("a record begins behind byte %d, and nobody tells", to)
		case behind:
			told++
		default:
			ends++
		}
	})
	if told < 10 || ends < 3 {
		t.Errorf("%d times a record began behind the damage, %d times none did", told, ends)
	}
}

// A torn end is no damage: no record begins behind it. Blocks of the last record may be on the
// disk while its beginning is not.
func TestTornFile(t *testing.T) {
	each(t, func(t *testing.T, r *rand.Rand, w written) {
		at := r.Intn(len(w.text))
		shape, n := w.read(t, w.text[:at])
		if n != w.whole(int64(at)) || shape.Damaged || shape.Good > int64(at) {
			t.Errorf("cut at %d: %d records, %+v", at, n, shape)
		}
		text, start := bytes.Clone(w.text), int64(0)
		if last := len(w.ends) - 1; last > 0 {
			start = w.ends[last-1]
		}
		end := min((start+blockSize)/blockSize*blockSize, int64(len(text)))
		clear(text[start:end])
		if shape, n := w.read(t, text); n < len(w.ends)-1 || shape.Damaged {
			t.Errorf("the last record begins at %d, and is zero up to %d: %d records, %+v", start, end, n, shape)
		}
	})
}

// Whatever stands in a file, it is read to its end without a panic.
func FuzzWalk(f *testing.F) {
	r := rand.New(rand.NewSource(1))
	f.Add(pebbleManifest(f, r, 5).text, uint16(10), byte(0x80))
	f.Fuzz(func(t *testing.T, text []byte, at uint16, with byte) {
		text = bytes.Clone(text) // the fuzzer's own may not be changed
		if int(at) < len(text) {
			text[at] ^= with
		}
		size := int64(len(text))
		shape, err := records(bytes.NewReader(text), size, func(start int64, payload []byte) error {
			if start+int64(len(payload)) > size {
				return fmt.Errorf("%d bytes from %d on", len(payload), start)
			}
			return nil
		})
		if err != nil || shape.Good > size {
			t.Errorf("%+v, %v", shape, err)
		}
		_, _, _ = ReadManifest(bytes.NewReader(text), size)
	})
}
