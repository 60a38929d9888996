package lanes

import (
	"encoding/binary"
	"errors"
	"fmt"

	"beanfield/storage/turns"
)

// Entry is a record where it stands on a lane.
type Entry struct {
	Seq    uint64 // its place: how many records the lane has had with it
	Data   []byte // the record, encoded
	Record turns.Record
	Hash   uint64
}

// ErrForeign says that a lane has something that is no record of this log.
var ErrForeign = errors.New("lanes: this is no record of the log")

// ErrVersion says that a lane has a record that another version of the program has written.
var ErrVersion = errors.New("lanes: the record has an unknown version")

const nonceSize = 8

// parse decodes what a lane has at a place.
func parse(origin, seq uint64, data []byte) (e Entry, err error) {
	r, hash, n, err := turns.Decode(data)
	if is, mine := turns.Version(data), turns.Magic[len(turns.Magic)-1]; is != 0 && is != mine {
		return e, fmt.Errorf("%w: %d, at %d; this program knows %d", ErrVersion, is, seq, mine)
	}
	if err != nil || n != len(data) || r.Origin != origin || r.Number == 0 && len(r.Turns) < nonceSize {
		return e, fmt.Errorf("%w: at %d", ErrForeign, seq)
	}
	return Entry{seq, data, r, hash}, nil
}

// begins tells whether the entry is the beginning of an epoch.
func (e *Entry) begins() bool { return e.Record.Number == 0 }

// nonce is that of an epoch's record.
func (e *Entry) nonce() uint64 { return binary.LittleEndian.Uint64(e.Record.Turns) }

// beginning encodes an epoch's record: a nonce, and the name of the node that writes it.
func beginning(origin, epoch, nonce uint64, node string) []byte {
	b, _ := turns.Append(nil, turns.Record{
		Origin: origin, Epoch: epoch, Turns: append(binary.LittleEndian.AppendUint64(nil, nonce), node...),
	})
	return b
}
