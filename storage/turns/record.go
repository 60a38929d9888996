package turns

import (
	"bytes"
	"encoding/binary"
	"errors"

	"github.com/cespare/xxhash/v2"
)

// Record is what one append carries.
type Record struct {
	Origin uint64
	Epoch  uint64
	Number uint64
	Before uint64 // the hash of the record before; 0 for the first
	Synced uint64 // every record up to this number was durable before this one was written
	More   bool   // the next record goes on with the same turns
	Rest   bool   // it goes on with the turns of the record before
	Turns  []byte // of a decoded record: a part of what was decoded
}

// Magic begins every record. Its last byte is the version.
const Magic = "bfr\x01"

const (
	tail  = 8
	more  = 1 << 31
	rest  = 1 << 30
	flags = more | rest
)

// Head is how many bytes of a record come before its turns.
const Head = 48

// Overhead is how much longer a record is than its turns.
const Overhead = Head + tail

// ErrNone says that there is no record: other bytes, a part of one, or a damaged one.
var ErrNone = errors.New("turns: there is no whole record")

// Append appends a record, and returns its hash.
func Append(dst []byte, r Record) ([]byte, uint64) {
	start := len(dst)
	length := uint32(len(r.Turns))
	if r.More {
		length |= more
	}
	if r.Rest {
		length |= rest
	}
	dst = append(dst, Magic...)
	dst = binary.LittleEndian.AppendUint32(dst, length)
	for _, v := range [...]uint64{r.Origin, r.Epoch, r.Number, r.Before, r.Synced} {
		dst = binary.LittleEndian.AppendUint64(dst, v)
	}
	dst = append(dst, r.Turns...)
	hash := xxhash.Sum64(dst[start:])
	return binary.LittleEndian.AppendUint64(dst, hash), hash
}

// Version is that of the record that b begins with, whether or not this program knows it; 0 if b does
// not begin with one.
func Version(b []byte) byte {
	if last := len(Magic) - 1; len(b) > last && string(b[:last]) == Magic[:last] {
		return b[last]
	}
	return 0
}

// Decode reads the record at the beginning of b, and returns its hash and its length.
// Any number of bytes may follow it.
func Decode(b []byte) (r Record, hash uint64, n int, err error) {
	if len(b) < Overhead || string(b[:len(Magic)]) != Magic {
		return r, 0, 0, ErrNone
	}
	length := binary.LittleEndian.Uint32(b[4:])
	turns := int(length &^ flags)
	if turns > len(b)-Overhead {
		return r, 0, 0, ErrNone
	}
	end := Head + turns
	hash = binary.LittleEndian.Uint64(b[end:])
	if hash != xxhash.Sum64(b[:end]) {
		return r, 0, 0, ErrNone
	}
	at := func(i int) uint64 { return binary.LittleEndian.Uint64(b[8+8*i:]) }
	r = Record{
		Origin: at(0), Epoch: at(1), Number: at(2), Before: at(3), Synced: at(4),
		More: length&more != 0, Rest: length&rest != 0, Turns: b[Head:end:end],
	}
	return r, hash, end + tail, nil
}

// Length returns how long the record is whose first Overhead bytes these are.
func Length(b []byte) (int, error) {
	if len(b) < Overhead || string(b[:len(Magic)]) != Magic {
		return 0, ErrNone
	}
	return Overhead + int(binary.LittleEndian.Uint32(b[4:])&^flags), nil
}

// Find returns the place of the first record of a log at or after from, at a multiple of
// align, or -1. It is for what comes after an unreadable record, whose length nobody
// knows. It looks at the origin before it computes a hash: bytes that a client sent
// could otherwise make it compute one for each of them.
func Find(b []byte, origin uint64, from, align int) int {
	for at := from; ; at++ {
		i := bytes.Index(b[min(at, len(b)):], []byte(Magic))
		if i < 0 {
			return -1
		}
		at += i
		if at%align != 0 || len(b)-at < Overhead || binary.LittleEndian.Uint64(b[at+8:]) != origin {
			continue
		}
		if _, _, _, err := Decode(b[at:]); err == nil {
			return at
		}
	}
}

// Place is where a reader of a log stands: it has read the record with this number, which
// has this hash, and all before it. Number 0 is the beginning.
type Place struct {
	Origin uint64
	Number uint64
	Hash   uint64
}

// Takes says whether a record is the next one.
func (p Place) Takes(r *Record) bool {
	return r.Origin == p.Origin && r.Number == p.Number+1 && r.Before == p.Hash
}
