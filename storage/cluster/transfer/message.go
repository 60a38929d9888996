package transfer

import (
	"encoding/binary"
	"encoding/json"
	"fmt"

	"github.com/cespare/xxhash/v2"
)

// A message is a version, a kind, the fields of the kind, and a hash of all that. Those of all versions begin
// and end so.
const version = 2

const (
	kindOrder  byte = iota + 1 // receiver: the snapshot with this key is to be made
	kindAsk                    // receiver: this chunk is wanted
	kindDone                   // receiver: it has everything, or has given up
	kindStill                  // sender: the snapshot is being made
	kindFailed                 // sender: it has given up; the text says why
	kindReady                  // sender: the snapshot is made, and has this shape
	kindChunk                  // sender
)

const (
	frame     = 2 + 8    // version, kind and hash of a message
	mostFiles = 1 << 18  // of a snapshot
	mostList  = 16 << 20 // the bytes of a list
	mostTotal = 1 << 50
)

// shape is what a sender says of a snapshot that is made.
type shape struct {
	Size  int    `json:"size"`  // of a chunk, but for the last one
	List  int64  `json:"list"`  // length of the list
	Total int64  `json:"total"` // length of the stream
	Note  []byte `json:"note"`  // its maker's
}

// possible tells whether a sender can have such a snapshot.
func (s shape) possible() bool {
	return s.Size > 0 && s.Size <= largestChunk && s.List > 0 && s.List <= mostList && s.Total >= s.List &&
		s.Total <= mostTotal
}

// chunks is how many there are.
func (s shape) chunks() uint64 { return uint64((s.Total + int64(s.Size) - 1) / int64(s.Size)) }

// length is that of a chunk.
func (s shape) length(number uint64) int {
	return int(min(int64(s.Size), s.Total-int64(number)*int64(s.Size)))
}

func begin(b []byte, kind byte) []byte { return append(b, version, kind) }

func seal(b []byte) []byte { return binary.LittleEndian.AppendUint64(b, xxhash.Sum64(b)) }

func message(kind byte, text string) []byte { return seal(append(begin(nil, kind), text...)) }

func ask(number uint64) []byte {
	return seal(binary.LittleEndian.AppendUint64(begin(nil, kindAsk), number))
}

func ready(s shape) []byte {
	text, _ := json.Marshal(s)
	return message(kindReady, string(text))
}

// opened is the kind and the fields of a message, if it is whole. It is an error if the message is one of another
// version.
func opened(b []byte) (kind byte, rest []byte, err error) {
	end := len(b) - 8
	switch {
	case len(b) < frame || xxhash.Sum64(b[:end]) != binary.LittleEndian.Uint64(b[end:]):
		return 0, nil, nil
	case b[0] != version:
		return 0, nil, fmt.Errorf("%w: %d; this program knows %d", ErrVersion, b[0], version)
	}
	return b[1], b[2:end], nil
}

// numbered takes the number that the fields of an ask, or of a chunk, begin with.
func numbered(b []byte) (number uint64, rest []byte, ok bool) {
	if len(b) < 8 {
		return 0, nil, false
	}
	return binary.LittleEndian.Uint64(b), b[8:], true
}
