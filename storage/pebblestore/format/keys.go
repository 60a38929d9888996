package format

import (
	"encoding/binary"
	"fmt"

	"beanfield/storage"
)

// Keys are one byte of kind and the job's id, big endian, so that a scan meets
// jobs in the order of their ids. Records and updates are apart because they
// live differently: an update is small and often overwritten, and merging it
// into the tables must not drag bodies along.
const (
	KeyRecord  = 'r' // a job as it was put, with its body
	KeyUpdate  = 'u' // what changed since
	KeyQueue   = 'q' // a queue, by the name of its tube instead of an id: see queue.go
	KeyPiece   = 'v' // a piece of a large body
	KeyMaxID   = 'm' // the highest id ever, under id 0
	KeyPlace   = 'p' // how far the store has folded its log, under id 0: see place.go
	KeyMembers = 's' // what a cluster has decided about its nodes, under id 0: see members.go
	KeyLen     = 9
)

func PutKey(k []byte, kind byte, id uint64) {
	k[0] = kind
	binary.BigEndian.PutUint64(k[1:KeyLen], id)
}

func Key(kind byte, id uint64) (k [KeyLen]byte) {
	PutKey(k[:], kind, id)
	return k
}

func KeyID(k []byte) (uint64, error) {
	if len(k) != KeyLen {
		return 0, fmt.Errorf("%w: key of %d bytes", storage.ErrCorrupt, len(k))
	}
	return binary.BigEndian.Uint64(k[1:]), nil
}

// A large body is cut into pieces, each under a key of its own: the record's, of
// another kind, and four bytes that count. A range delete removes them together with
// the record.
const (
	PieceSize   = 256 << 10
	PieceKeyLen = KeyLen + 4
)

func PieceKey(id uint64, n int) (k [PieceKeyLen]byte) {
	PutKey(k[:], KeyPiece, id)
	binary.BigEndian.PutUint32(k[KeyLen:], uint32(n))
	return k
}

// PieceBounds enclose all pieces of a body.
func PieceBounds(id uint64) (from, to []byte) {
	first, last := PieceKey(id, 0), PieceKey(id, 1<<32-1)
	return first[:], last[:]
}

// PieceOf takes a piece's key apart.
func PieceOf(key []byte) (id uint64, n int, err error) {
	if len(key) != PieceKeyLen {
		return 0, 0, fmt.Errorf("%w: key of %d bytes", storage.ErrCorrupt, len(key))
	}
	return binary.BigEndian.Uint64(key[1:]), int(binary.BigEndian.Uint32(key[KeyLen:])), nil
}

func QueueKey(tube string) []byte { return append([]byte{KeyQueue}, tube...) }

// QueueOf is the name of the tube in a queue's key.
func QueueOf(key []byte) (tube string, err error) {
	if len(key) < 1 || len(key) > 1+storage.MaxName || key[0] != KeyQueue {
		return "", fmt.Errorf("%w: key of %d bytes for a queue", storage.ErrCorrupt, len(key))
	}
	return string(key[1:]), nil
}
