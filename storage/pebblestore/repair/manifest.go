package repair

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Table is a table that a manifest names.
type Table struct {
	Number uint64
	Size   uint64
	// Smallest and Largest are the bounds of its keys, without sequence numbers.
	Smallest, Largest []byte
	// Sequence is the sequence number of all its entries, if it was ingested: in the file they
	// have 0. Otherwise it is 0.
	Sequence uint64
}

// Manifest is what a manifest says of the files of its database.
type Manifest struct {
	// Tables are those that belong to the database, by number.
	Tables map[uint64]Table

	placed   map[place]uint64 // the file of each table that stands in a level
	backings map[uint64]Table // files of which parts are tables
}

type place struct{ level, table uint64 }

// ReadManifest reads a manifest up to the first place that it cannot read.
func ReadManifest(f io.ReaderAt, size int64) (*Manifest, Shape, error) {
	m := &Manifest{placed: make(map[place]uint64), backings: make(map[uint64]Table), Tables: make(map[uint64]Table)}
	shape, err := records(f, size, func(start int64, payload []byte) error {
		if err := m.apply(payload); err != nil {
			return fmt.Errorf("the edit at byte %d: %w", start, err)
		}
		return nil
	})
	m.settle()
	return m, shape, err
}

// settle leaves in Tables what is still in a level.
func (m *Manifest) settle() {
	used := make(map[uint64]bool)
	for _, file := range m.placed {
		used[file] = true
	}
	for n, t := range m.backings {
		if used[n] {
			m.Tables[n] = t
		}
	}
	for n := range m.Tables {
		if !used[n] {
			delete(m.Tables, n)
		}
	}
}

// The tags of an edit's fields, as in Pebble's internal/manifest.
const (
	tagComparer       = 1
	tagLogNumber      = 2
	tagNextFile       = 3
	tagLastSequence   = 4
	tagCompactPointer = 5
	tagDeletedTable   = 6
	tagPrevLog        = 9
	tagNewTable2      = 100
	tagNewTable4      = 103
	tagNewTable5      = 104 // with range keys
	tagCreatedBacking = 105
	tagRemovedBacking = 106

	customEnd     = 1
	customVirtual = 66
	customBlobs   = 69
)

var errEdit = errors.New("a field that cannot be read")

// edit decodes one. The first fault sticks.
type edit struct {
	rest []byte
	err  error
}

func (e *edit) number() uint64 {
	n, k := binary.Uvarint(e.rest)
	if k <= 0 {
		e.rest, e.err = nil, errEdit
		return 0
	}
	e.rest = e.rest[k:]
	return n
}

func (e *edit) bytes() []byte {
	n := e.number()
	if n > uint64(len(e.rest)) {
		e.rest, e.err = nil, errEdit
		return nil
	}
	b := e.rest[:n]
	e.rest = e.rest[n:]
	return b
}

// apply plays an edit. It deletes before it adds: a table that moves does both.
func (m *Manifest) apply(payload []byte) error {
	e := &edit{rest: payload}
	added := make(map[place]Table)
	files := make(map[place]uint64)
	for len(e.rest) > 0 && e.err == nil {
		switch tag := e.number(); tag {
		case tagComparer:
			e.bytes()
		case tagLogNumber, tagNextFile, tagLastSequence, tagPrevLog, tagRemovedBacking:
			e.number()
		case tagCompactPointer:
			e.number()
			e.bytes()
		case tagDeletedTable:
			delete(m.placed, place{e.number(), e.number()})
		case tagCreatedBacking:
			t := Table{Number: e.number(), Size: e.number()}
			m.backings[t.Number] = t
		case tagNewTable2, tagNewTable4, tagNewTable5:
			p, t, file := e.table(tag)
			added[p], files[p] = t, file
		default:
			return fmt.Errorf("tag %d is unknown", tag)
		}
	}
	for p, t := range added {
		m.placed[p] = files[p]
		if files[p] == t.Number {
			m.Tables[t.Number] = t
		}
	}
	return e.err
}

// table reads a new table, and which file it stands in: one of its own, but for a
// part of another.
func (e *edit) table(tag uint64) (p place, t Table, file uint64) {
	p = place{e.number(), e.number()}
	t = Table{Number: p.table, Size: e.number()}
	if tag == tagNewTable5 {
		e.err = errors.New("a table with range keys, which this build does not write")
		return p, t, 0
	}
	t.Smallest, t.Largest = userKey(e.bytes()), userKey(e.bytes())
	if least, most := e.number(), e.number(); least == most {
		t.Sequence = least
	}
	file = t.Number
	for tag == tagNewTable4 && e.err == nil {
		switch custom := e.number(); custom {
		case customEnd:
			return p, t, file
		case customVirtual:
			file = e.number()
		case customBlobs:
			e.number()
			for n := e.number(); n > 0 && e.err == nil; n-- {
				e.number()
				e.number()
			}
		default:
			e.bytes()
		}
	}
	return p, t, file
}

// userKey is a key without the eight bytes of kind and sequence number behind it.
func userKey(b []byte) []byte {
	if len(b) < 8 {
		return nil
	}
	return append([]byte{}, b[:len(b)-8]...)
}
