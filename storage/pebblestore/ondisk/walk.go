package ondisk

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
)

// Record is a record that is complete and has the right checksums.
type Record struct {
	Start, End int64  // where its first chunk begins and its last one ends
	Payload    []byte // valid during the call only
	// Guessed says that the record was found by trying, behind damage.
	Guessed bool
	// Broken says that a gap stands somewhere before the record.
	Broken bool
}

// Gap is a part of a file that cannot be read.
type Gap struct{ From, To int64 }

// Shape says how far a file can be read.
type Shape struct {
	// Good is the end of what can be read from the beginning without a gap.
	Good int64
	// Ended says that the mark of a log that was closed stands before Good.
	Ended bool
	// Gaps are the parts behind Good which cannot be read and have a readable chunk
	// behind them.
	Gaps []Gap
	// Tail is where the last readable chunk ends.
	Tail int64
}

const (
	blockSize   = 32 << 10
	shortHeader = 7
	numHeader   = 11
	syncHeader  = 19
)

// Log reads the records of the log of a number, and calls visit for each.
func Log(f io.ReaderAt, size int64, number uint64, visit func(*Record) error) (Shape, error) {
	w := &walker{f: f, visit: visit, log: true, number: uint32(number)}
	return w.walk(size)
}

// Edits reads the records of a manifest, and calls visit for each.
func Edits(f io.ReaderAt, size int64, visit func(*Record) error) (Shape, error) {
	w := &walker{f: f, visit: visit}
	return w.walk(size)
}

// walker reads one file.
type walker struct {
	f      io.ReaderAt
	visit  func(*Record) error
	log    bool
	number uint32

	block  []byte // the one at hand, shorter at the end of the file
	base   int64  // where it begins
	shape  Shape
	broken bool // a gap was met
	from   int64
	lost   bool // what stands from `from` on cannot be read
	guess  bool // the way was found by trying
	rec    Record
	buf    []byte
	open   bool // a record has begun
}

// part is which part of a record a chunk is.
type part byte

const (
	full part = iota + 1
	first
	middle
	last
)

// header is a chunk's, decoded.
type header struct {
	part   part
	size   int // of the header
	length int // of the payload
	sum    uint32
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Checksum is the one that Pebble writes into its files.
func Checksum(b []byte) uint32 {
	c := crc32.Checksum(b, castagnoli)
	return (c>>15 | c<<17) + 0xa282ead8
}

func (w *walker) walk(size int64) (Shape, error) {
	buf := make([]byte, blockSize)
	for w.base = 0; w.base < size; w.base += blockSize {
		w.block = buf[:min(blockSize, size-w.base)]
		if _, err := w.f.ReadAt(w.block, w.base); err != nil && !errors.Is(err, io.EOF) {
			return w.shape, err
		}
		w.guess = false
		if done, err := w.chunks(); done || err != nil {
			return w.shape, err
		}
	}
	if !w.broken {
		w.shape.Good = size
	}
	return w.shape, nil
}

// chunks reads the block at hand. It reports true at the end of a closed log.
func (w *walker) chunks() (done bool, err error) {
	at := 0
	for at < len(w.block) {
		h, state := w.header(at)
		switch state {
		case padding:
			return false, nil
		case closed:
			if w.open {
				w.lose(at)
			}
			w.shape.Tail = w.base + int64(at) + numHeader
			if !w.broken {
				w.shape.Good, w.shape.Ended = w.base+int64(at)+numHeader, true
			}
			return true, nil
		case readable:
			if err := w.chunk(at, h); err != nil {
				return false, err
			}
			at += h.size + h.length
			continue
		}
		w.lose(at)
		if at = w.next(at, h, state); at < 0 {
			return false, nil
		}
	}
	return false, nil
}

// state is what stands at a place.
type state byte

const (
	unreadable state = iota
	wrongSum         // a plausible header whose checksum does not fit
	padding
	closed
	readable
)

// header looks at a place in the block.
func (w *walker) header(at int) (h header, s state) {
	rest := w.block[at:]
	if w.isPadding(rest, blockSize-at) {
		return h, padding
	}
	if len(rest) < shortHeader {
		return h, unreadable
	}
	h.sum = binary.LittleEndian.Uint32(rest)
	h.length = int(binary.LittleEndian.Uint16(rest[4:]))
	kind := rest[6]
	switch {
	case !w.log && kind >= 1 && kind <= 4:
		h.part, h.size = part(kind), shortHeader
	case w.log && kind >= 5 && kind <= 8:
		h.part, h.size = part(kind-4), numHeader
	case w.log && kind >= 9 && kind <= 12:
		h.part, h.size = part(kind-8), syncHeader
	default:
		return h, unreadable
	}
	if len(rest) < h.size {
		return h, unreadable
	}
	if w.log {
		number := binary.LittleEndian.Uint32(rest[shortHeader:])
		if number == w.number+1 && h.sum == 0 && h.length == 0 && kind == 5 {
			return h, closed
		}
		if number != w.number {
			return h, unreadable
		}
	}
	if h.size+h.length > len(rest) {
		return h, unreadable
	}
	if Checksum(rest[6:h.size+h.length]) != h.sum {
		return h, wrongSum
	}
	return h, readable
}

// isPadding says whether the rest of a block has no room for a chunk, and nothing in it.
func (w *walker) isPadding(rest []byte, room int) bool {
	most := shortHeader
	if w.log {
		most = syncHeader
	}
	return room < most && len(bytes.Trim(rest, "\x00")) == 0
}

// lose notes that what stands at a place cannot be read.
func (w *walker) lose(at int) {
	if !w.lost {
		w.lost, w.from = true, w.base+int64(at)
	}
	if !w.broken {
		w.broken, w.shape.Good = true, w.from
	}
	w.open = false
}

// next finds the place to go on at, in the block at hand, or -1.
func (w *walker) next(at int, h header, s state) int {
	if s == wrongSum {
		after := at + h.size + h.length
		if after == len(w.block) {
			return -1
		}
		if _, s := w.header(after); s == readable || s == padding || s == closed {
			return after
		}
	}
	w.guess = true
	if !w.log {
		for at++; at+shortHeader <= len(w.block); at++ {
			if _, s := w.header(at); s == readable {
				return at
			}
		}
		return -1
	}
	number := binary.LittleEndian.AppendUint32(nil, w.number)
	for at++; at+numHeader <= len(w.block); at++ {
		i := bytes.Index(w.block[at+shortHeader:], number)
		if i < 0 {
			return -1
		}
		at += i
		if _, s := w.header(at); s == readable {
			return at
		}
	}
	return -1
}

// chunk takes one that is readable.
func (w *walker) chunk(at int, h header) error {
	place := w.base + int64(at)
	end := place + int64(h.size+h.length)
	begins := h.part == full || h.part == first
	if begins == w.open && !w.broken {
		// The rest of a record is missing, or its beginning, which no writer leaves.
		w.lose(at)
	}
	if w.lost && (begins || w.open) {
		w.shape.Gaps = append(w.shape.Gaps, Gap{w.from, place})
		w.lost = false
	}
	w.shape.Tail = end
	if !w.broken {
		w.shape.Good = end
	}
	if begins {
		w.open, w.buf = true, w.buf[:0]
		w.rec = Record{Start: place, Broken: w.broken}
	}
	if !w.open {
		return nil // of a record whose beginning is lost
	}
	w.rec.Guessed = w.rec.Guessed || w.guess
	w.buf = append(w.buf, w.block[at+h.size:at+h.size+h.length]...)
	if h.part != full && h.part != last {
		return nil
	}
	w.open = false
	w.rec.End, w.rec.Payload = end, w.buf
	return w.visit(&w.rec)
}
