package history

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"

	"beanfield/shard/queue"
)

// The file is: magic, a header, the timeline, the totals, each tube, and the CRC-32C of all
// that. Numbers are little-endian. A tube is the length of its name, the name, its score and
// its points.
const magic = "beanfield history 1\n"

// header says how the rest is laid out. A build with another layout ignores the file.
type header struct{ Hour, Day, TotalKeys, TubeKeys, Tubes uint32 }

func layout(tubes int) header {
	return header{uint32(counts[Hour]), uint32(counts[Day]), totalKeys, tubeKeys, uint32(tubes)}
}

// mostBytes is how large a file can be.
const mostBytes = len(magic) + 5*4 + slots*8 + slots*totalKeys*4 + mostTubes*(1+queue.MaxName+4+slots*tubeKeys*4) + 4

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// errDamaged is wrapped by errors about what a file holds.
var errDamaged = errors.New("it is damaged")

// encode writes the charts. Only the writer calls it, so it needs no lock, and the disk may take
// its time.
func (b *Charts) encode(out io.Writer) error {
	w := bufio.NewWriterSize(out, 64<<10)
	sum := crc32.New(castagnoli)
	both := io.MultiWriter(w, sum)
	put := func(v any) { binary.Write(both, binary.LittleEndian, v) } // w keeps its first error
	io.WriteString(both, magic)
	put(layout(len(b.tubes)))
	put(b.line[:])
	put(b.total.points)
	for _, t := range b.tubes {
		put(uint8(len(t.name)))
		io.WriteString(both, t.name)
		put(float32(t.score))
		put(t.points)
	}
	binary.Write(w, binary.LittleEndian, sum.Sum32())
	return w.Flush()
}

// decode makes charts of what encode has written. Whatever it is given, it returns charts that
// can be used, or an error (HI3).
func decode(text []byte) (*Charts, error) {
	if !bytes.HasPrefix(text, []byte(magic)) {
		return nil, errors.New("another version has written it, or it is something else")
	}
	whole := len(text) - 4
	if whole < len(magic) || crc32.Checksum(text[:whole], castagnoli) != binary.LittleEndian.Uint32(text[whole:]) {
		return nil, fmt.Errorf("%w: its checksum is wrong", errDamaged)
	}
	in := bytes.NewReader(text[len(magic):whole])
	var bad error
	get := func(v any) { bad = errors.Join(bad, binary.Read(in, binary.LittleEndian, v)) }
	var h header
	if get(&h); bad != nil || h != layout(int(h.Tubes)) || h.Tubes > mostTubes {
		return nil, errors.New("it has another layout")
	}
	b := newCharts()
	get(b.line[:]) // a slot that cannot be at its place is never asked for
	get(b.total.points)
	b.total.mend()
	for range h.Tubes {
		var length uint8
		var score float32
		get(&length)
		name := make([]byte, length)
		get(name)
		t := &followed{series: newSeries(tubeKeys), name: string(name)}
		get(&score)
		get(t.points)
		t.mend()
		if bad == nil && queue.ValidName(name) {
			t.score = max(0, min(float64(score), math.MaxUint32))
			b.tubes[t.name] = t
		}
	}
	if bad != nil || in.Len() > 0 {
		return nil, fmt.Errorf("%w: its length is wrong", errDamaged)
	}
	return b, nil
}

// mend forgets figures that cannot be.
func (s *series) mend() {
	for i, v := range s.points {
		if !(v >= 0 && v <= math.MaxFloat32) {
			s.points[i] = none
		}
	}
}

// load reads the charts of an earlier process. Without one it returns nil.
func load(path string) (*Charts, error) {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("it is no file")
	case info.Size() > int64(mostBytes):
		return nil, fmt.Errorf("%w: it is too large", errDamaged)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return decode(text)
}

// save replaces the file, so that there is always the old one or the new one.
func (b *Charts) save(path string) error {
	temp := path + TempSuffix
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	if err = b.encode(f); err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(temp, path)
	}
	if err != nil {
		os.Remove(temp)
	}
	return err
}

// TempSuffix is what the name of a file ends with while it is written.
const TempSuffix = ".tmp"
