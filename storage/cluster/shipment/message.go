package shipment

import (
	"encoding/binary"
	"fmt"

	"github.com/cespare/xxhash/v2"
)

// A message is a version, a kind, the fields of the kind, and a hash of all that. Those of all versions begin
// and end so.
const version = 1

const (
	kindAsk    byte = iota + 1 // receiver: these chunks are wanted
	kindDone                   // receiver: it has everything
	kindChunk                  // sender
	kindStill                  // sender: what is wanted waits for its turn
	kindFailed                 // sender: it has given up; the text says why
	kindOrder                  // receiver: the directory with this key is to be made
	kindReady                  // sender: it is offered
)

// ask is what a receiver says.
type ask struct {
	kind  byte
	reply string
	from  uint64 // all chunks before it have come
	mask  uint64 // bit i: chunk from+i is wanted
}

// shape is what all chunks of a shipment say alike.
type shape struct {
	size  int   // of a chunk, but for the last one
	list  int64 // length of the list
	total int64 // length of the stream
}

// chunks is how many there are.
func (s shape) chunks() uint64 { return uint64((s.total + int64(s.size) - 1) / int64(s.size)) }

// length is that of a chunk.
func (s shape) length(number uint64) int {
	return int(min(int64(s.size), s.total-int64(number)*int64(s.size)))
}

// chunk is a part of the stream, and the hashes of the parts that end in it: of the list, and of files.
type chunk struct {
	shape
	number uint64
	sums   []uint64
	data   []byte
}

const (
	fields    = 8 + 4 + 8 + 8 // of a chunk, before its data
	frame     = 2 + 8         // version, kind and hash of a message
	mostSums  = 1 << 18       // the files and directories of a shipment
	mostList  = 16 << 20      // the bytes of a list
	mostTotal = 1 << 50
)

func begin(b []byte, kind byte) []byte { return append(b, version, kind) }

func seal(b []byte) []byte { return binary.LittleEndian.AppendUint64(b, xxhash.Sum64(b)) }

// stranger is an error if a message is whole, and of another version.
func stranger(b []byte) error {
	if !sealed(b) || b[0] == version {
		return nil
	}
	return fmt.Errorf("%w: %d; this program knows %d", ErrVersion, b[0], version)
}

func sealed(b []byte) bool {
	end := len(b) - 8
	return len(b) >= frame && xxhash.Sum64(b[:end]) == binary.LittleEndian.Uint64(b[end:])
}

// opened is the kind and the fields of a message, if it is whole.
func opened(b []byte) (kind byte, rest []byte, ok bool) {
	if !sealed(b) || b[0] != version {
		return 0, nil, false
	}
	return b[1], b[2 : len(b)-8], true
}

func (a ask) encode() []byte {
	b := begin(nil, a.kind)
	if a.kind == kindAsk {
		b = binary.LittleEndian.AppendUint64(b, a.from)
		b = binary.LittleEndian.AppendUint64(b, a.mask)
	}
	return seal(b)
}

func decodeAsk(reply string, b []byte) (a ask, ok bool) {
	kind, rest, ok := opened(b)
	switch {
	case ok && kind == kindDone && len(rest) == 0:
		return ask{kind: kind, reply: reply}, true
	case ok && kind == kindAsk && len(rest) == 16 && reply != "":
		return ask{kind, reply, binary.LittleEndian.Uint64(rest), binary.LittleEndian.Uint64(rest[8:])}, true
	}
	return a, false
}

// head begins the message of a chunk: its data follow, and then its hashes.
func (c chunk) head(b []byte) []byte {
	b = begin(b, kindChunk)
	b = binary.LittleEndian.AppendUint64(b, c.number)
	b = binary.LittleEndian.AppendUint32(b, uint32(c.size))
	b = binary.LittleEndian.AppendUint64(b, uint64(c.list))
	return binary.LittleEndian.AppendUint64(b, uint64(c.total))
}

// decodeChunk takes the fields of a chunk, and refuses what no sender says.
func decodeChunk(b []byte) (c chunk, ok bool) {
	if len(b) < fields {
		return c, false
	}
	c.number = binary.LittleEndian.Uint64(b)
	c.size = int(binary.LittleEndian.Uint32(b[8:]))
	c.list = int64(binary.LittleEndian.Uint64(b[12:]))
	c.total = int64(binary.LittleEndian.Uint64(b[20:]))
	b = b[fields:]
	if c.size <= 0 || c.size > largestChunk || c.list <= 0 || c.list > mostList || c.total < c.list || c.total > mostTotal ||
		c.number >= c.chunks() || len(b) < c.length(c.number) {
		return c, false
	}
	c.data, b = b[:c.length(c.number)], b[c.length(c.number):]
	for ; len(b) >= 8; b = b[8:] {
		c.sums = append(c.sums, binary.LittleEndian.Uint64(b))
	}
	return c, len(b) == 0
}

// failed is the message that says why a sender gives up.
func failed(why error) []byte { return seal(append(begin(nil, kindFailed), why.Error()...)) }

// ready is what a sender says of a directory that was ordered.
type ready struct {
	name string // of its shipment
	note []byte
}

func (r ready) encode() []byte {
	b := append(begin(nil, kindReady), byte(len(r.name)))
	return seal(append(append(b, r.name...), r.note...))
}

func decodeReady(kind byte, b []byte) (r ready, ok bool) {
	if kind != kindReady || len(b) == 0 || int(b[0]) >= len(b) {
		return r, false
	}
	return ready{string(b[1 : 1+int(b[0])]), b[1+int(b[0]):]}, true
}
