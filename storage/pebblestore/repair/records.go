package repair

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"

	"beanfield/storage/pebblestore/database"
)

// Shape says how far a file can be read.
type Shape struct {
	// Good is the end of what can be read.
	Good int64
	// Damaged says that a record begins somewhere behind Good. A crash leaves nothing there.
	Damaged bool
}

const (
	blockSize  = 32 << 10
	headerSize = 7
)

// records calls visit for each record of a file up to the first place that cannot be read.
// The payload is valid during the call only.
func records(f io.ReaderAt, size int64, visit func(start int64, payload []byte) error) (Shape, error) {
	w := &walker{visit: visit}
	buf := make([]byte, blockSize)
	for w.base = 0; w.base < size && !w.shape.Damaged; w.base += blockSize {
		w.block = buf[:min(blockSize, size-w.base)]
		if _, err := f.ReadAt(w.block, w.base); err != nil && !errors.Is(err, io.EOF) {
			return w.shape, err
		}
		at, err := 0, error(nil)
		if !w.lost {
			at, err = w.chunks()
		}
		if w.lost {
			w.search(at)
		}
		if err != nil {
			return w.shape, err
		}
	}
	return w.shape, nil
}

// walker reads one file.
type walker struct {
	visit func(start int64, payload []byte) error

	block []byte // the one at hand, shorter at the end of the file
	base  int64  // where it begins
	shape Shape
	lost  bool   // what stands behind Good cannot be read
	open  bool   // a record has begun,
	start int64  // here,
	buf   []byte // with this
}

// part is which part of a record a chunk is.
type part byte

const (
	full part = iota + 1
	first
	middle
	last
)

func (p part) begins() bool { return p == full || p == first }

// chunks reads the block at hand, up to a place that cannot be read.
func (w *walker) chunks() (at int, err error) {
	for at < len(w.block) && !w.isPadding(at) {
		p, payload := w.chunk(at)
		if p == 0 || p.begins() == w.open { // no writer leaves out a part of a record
			w.lost = true
			return at, nil
		}
		if p.begins() {
			w.open, w.start, w.buf = true, w.base+int64(at), w.buf[:0]
		}
		w.buf = append(w.buf, payload...)
		at += headerSize + len(payload)
		w.shape.Good = w.base + int64(at)
		if p == full || p == last {
			w.open = false
			if err := w.visit(w.start, w.buf); err != nil {
				return at, err
			}
		}
	}
	w.shape.Good = w.base + int64(len(w.block))
	return at, nil
}

// search looks for the beginning of a record. A crash may leave a later part of the one that
// was being written.
func (w *walker) search(at int) {
	for ; at < len(w.block); at++ {
		if p, _ := w.chunk(at); p.begins() {
			w.shape.Damaged = true
			return
		}
	}
}

// isPadding says whether the rest of a block has no room for a chunk, and nothing in it.
func (w *walker) isPadding(at int) bool {
	return blockSize-at < headerSize && len(bytes.Trim(w.block[at:], "\x00")) == 0
}

// chunk returns the one at a place in the block, or 0.
func (w *walker) chunk(at int) (p part, payload []byte) {
	rest := w.block[at:]
	if len(rest) < headerSize {
		return 0, nil
	}
	p, end := part(rest[6]), headerSize+int(binary.LittleEndian.Uint16(rest[4:]))
	if p < full || p > last || end > len(rest) || database.Checksum(rest[6:end]) != binary.LittleEndian.Uint32(rest) {
		return 0, nil
	}
	return p, rest[headerSize:end]
}
