package format

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"beanfield/storage"
)

// Castagnoli is the table of all checksums here.
var Castagnoli = crc32.MakeTable(crc32.Castagnoli)

// fields reads numbers one after the other and remembers the first fault.
type fields struct {
	rest []byte
	err  error
}

func (f *fields) fail(what string) {
	if f.err == nil {
		f.err = fmt.Errorf("%w: %s", storage.ErrCorrupt, what)
	}
}

func (f *fields) uvarint(limit uint64, what string) uint64 {
	v, n := binary.Uvarint(f.rest)
	if n <= 0 || v > limit {
		f.fail(what)
		return 0
	}
	f.rest = f.rest[n:]
	return v
}

func (f *fields) u32(what string) uint32 { return uint32(f.uvarint(1<<32-1, what)) }

func (f *fields) varint(what string) int64 {
	v, n := binary.Varint(f.rest)
	if n <= 0 {
		f.fail(what)
		return 0
	}
	f.rest = f.rest[n:]
	return v
}

// text reads a length and that many bytes, which are still a part of the value; nil for
// none.
func (f *fields) text(most uint64, what string) []byte {
	n := f.uvarint(most, what)
	if n > uint64(len(f.rest)) {
		f.fail(what)
	}
	if f.err != nil || n == 0 {
		return nil
	}
	text := f.rest[:n:n]
	f.rest = f.rest[n:]
	return text
}

// copied is text that the caller may keep; nil if it is empty.
func (f *fields) copied(most uint64, what string) []byte {
	return append([]byte(nil), f.text(most, what)...)
}

func appendText[T string | []byte](dst []byte, text T, most int) []byte {
	if len(text) > most {
		panic(fmt.Sprintf("storage: a text of %d bytes, where at most %d can be recorded", len(text), most))
	}
	return append(binary.AppendUvarint(dst, uint64(len(text))), text...)
}
