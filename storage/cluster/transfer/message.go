package transfer

import (
	"encoding/binary"
	"fmt"

	"github.com/cespare/xxhash/v2"
)

// Version is that of messages. Those of all versions begin with theirs, and end with a hash.
const Version = 3

const (
	kindOrder  byte = iota + 1 // receiver: the snapshot with this key is to be made; is it?
	kindAsk                    // receiver: this chunk is wanted
	kindDone                   // receiver: it has everything, or has given up. There is no answer
	kindStill                  // sender: the snapshot is being made
	kindFailed                 // sender: it has given up; the text says why
	kindReady                  // sender: the snapshot is made, and has these files
	kindChunk                  // sender
)

const head = 2 + 8

// message is a question of a receiver, or its answer.
type message struct {
	kind   byte
	number uint64 // of the chunk
	body   []byte
}

// bytes are a message: version, kind and number, the body, and a hash of all that.
func (m message) bytes() []byte {
	return sealed(append(binary.LittleEndian.AppendUint64([]byte{Version, m.kind}, m.number), m.body...))
}

func sealed(b []byte) []byte { return binary.LittleEndian.AppendUint64(b, xxhash.Sum64(b)) }

// opened is what is in a message; kind 0 if it is not whole. It is an error if it is one of another version.
func opened(b []byte) (m message, err error) {
	end := len(b) - 8
	switch {
	case end < 2 || xxhash.Sum64(b[:end]) != binary.LittleEndian.Uint64(b[end:]):
	case b[0] != Version:
		err = fmt.Errorf("%w: %d; this program knows %d", ErrVersion, b[0], Version)
	case end >= head:
		m = message{b[1], binary.LittleEndian.Uint64(b[2:]), b[head:end]}
	}
	return m, err
}

func failed(why error) message { return message{kind: kindFailed, body: []byte(why.Error())} }
