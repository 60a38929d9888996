package format

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"beanfield/storage"
)

// Castagnoli is the table of all checksums here.
var Castagnoli = crc32.MakeTable(crc32.Castagnoli)

// fields writes the fields of a value, one after the other, or reads them: so one description serves both. Of
// reading, it remembers the first fault.
type fields struct {
	b     []byte // what has been written, or is left to read
	reads bool
	err   error
}

func (f *fields) fail(what string) {
	if f.err == nil {
		f.err = fmt.Errorf("%w: %s", storage.ErrCorrupt, what)
	}
}

// end says whether all has been read.
func (f *fields) end() error {
	if f.err == nil && len(f.b) != 0 {
		f.fail("trailing bytes")
	}
	return f.err
}

// uvarint reads a number up to a limit.
func (f *fields) uvarint(limit uint64, what string) uint64 {
	v, n := binary.Uvarint(f.b)
	if n <= 0 || v > limit {
		f.fail(what)
		return 0
	}
	f.b = f.b[n:]
	return v
}

func (f *fields) u32(what string) uint32 { return uint32(f.uvarint(1<<32-1, what)) }

func (f *fields) varint(what string) int64 {
	v, n := binary.Varint(f.b)
	if n <= 0 {
		f.fail(what)
		return 0
	}
	f.b = f.b[n:]
	return v
}

// number is a number, of all that its type can hold.
func number[T ~uint8 | ~uint32 | ~uint64](f *fields, v *T, what string) {
	if f.reads {
		*v = T(f.uvarint(uint64(^T(0)), what))
	} else {
		f.b = binary.AppendUvarint(f.b, uint64(*v))
	}
}

func (f *fields) signed(v *int64, what string) {
	if f.reads {
		*v = f.varint(what)
	} else {
		f.b = binary.AppendVarint(f.b, *v)
	}
}

// flag is 1 for true.
func (f *fields) flag(v *bool, what string) {
	n := uint64(0)
	if *v {
		n = 1
	}
	if number(f, &n, what); n > 1 {
		f.fail(what)
	}
	*v = n == 1
}

// text is a length and that many bytes. Those that are read are still a part of the value, unless they become a string;
// nil for none.
func text[T string | []byte](f *fields, v *T, most uint64, what string) {
	if !f.reads {
		f.b = appendText(f.b, *v, most)
		return
	}
	n := f.uvarint(most, what)
	if n > uint64(len(f.b)) {
		f.fail(what)
	}
	var none []byte
	if *v = T(none); f.err == nil && n > 0 {
		*v, f.b = T(f.b[:n:n]), f.b[n:]
	}
}

func appendText[T string | []byte](dst []byte, text T, most uint64) []byte {
	if uint64(len(text)) > most {
		panic(fmt.Sprintf("storage: a text of %d bytes, where at most %d can be recorded", len(text), most))
	}
	return append(binary.AppendUvarint(dst, uint64(len(text))), text...)
}

// list is how many there are. It returns those that are to be written, or room for as many as are to be read, each of
// which takes so many bytes at least.
func list[T any](f *fields, l []T, least int, what string) []T {
	if !f.reads {
		f.b = binary.AppendUvarint(f.b, uint64(len(l)))
		return l
	}
	if n := f.uvarint(uint64(len(f.b)/least), what); n > 0 {
		return make([]T, n)
	}
	return nil
}

// made is what a pointer points to; if that is nothing, something new.
func made[T any](p **T) *T {
	if *p == nil {
		*p = new(T)
	}
	return *p
}
