package pebblestore

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"

	"beanfield/storage"

	"github.com/cockroachdb/pebble/v2"
)

// A large body is cut into pieces, each under a key of its own: the record's, of
// another kind, and four bytes that count. A range delete removes them together with
// the record.
const (
	pieceSize   = 256 << 10
	pieceKeyLen = keyLen + 4
)

func pieceKey(id uint64, n int) (k [pieceKeyLen]byte) {
	putKey(k[:], keyPiece, id)
	binary.BigEndian.PutUint32(k[keyLen:], uint32(n))
	return k
}

// pieceBounds enclose all pieces of a body.
func pieceBounds(id uint64) (from, to []byte) {
	first, last := pieceKey(id, 0), pieceKey(id, 1<<32-1)
	return first[:], last[:]
}

// checkBody says whether what was read is what was put with the job.
func checkBody(j *storage.Job, sum uint32, size int, got uint32) error {
	if size != int(j.Size) || got != sum {
		return fmt.Errorf("%w: the body of job %d has %d bytes and checksum %08x, should have %d and %08x",
			storage.ErrCorrupt, j.ID, size, got, j.Size, sum)
	}
	return nil
}

// readPieces appends the body of a job to dst.
func readPieces(r pebble.Reader, j *storage.Job, sum uint32, dst []byte) (_ []byte, err error) {
	from, to := pieceBounds(j.ID)
	it, err := r.NewIter(&pebble.IterOptions{LowerBound: from, UpperBound: to})
	if err != nil {
		return dst, err
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	start, got := len(dst), uint32(0)
	dst = slices.Grow(dst, int(j.Size))
	valid := it.First()
	for n := 0; len(dst)-start < int(j.Size); n++ {
		want := pieceKey(j.ID, n)
		if err := it.Error(); err != nil {
			return dst, err
		}
		if !valid || string(it.Key()) != string(want[:]) {
			return dst, fmt.Errorf("%w: piece %d of the body of job %d is missing", storage.ErrCorrupt, n, j.ID)
		}
		value, err := it.ValueAndErr()
		if err != nil {
			return dst, err
		}
		piece, err := unseal(want[:], value)
		if err != nil {
			return dst, fmt.Errorf("piece %d of the body of job %d: %w", n, j.ID, err)
		}
		dst = append(dst, piece...)
		got = crc32.Update(got, castagnoli, piece) // with all at once, a gigabyte takes 40 ms
		valid = it.Next()
	}
	return dst, checkBody(j, sum, len(dst)-start, got)
}

// strayBodies finds the bodies that no record refers to: their jobs were never
// put. known are those that have one.
func strayBodies(r pebble.Reader, known map[uint64]bool) (stray []uint64, err error) {
	it, err := r.NewIter(kindRange(keyPiece))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	for ok := it.First(); ok; {
		id, _, err := pieceOf(it.Key())
		if err != nil {
			return nil, err
		}
		if !known[id] {
			stray = append(stray, id)
		}
		_, end := pieceBounds(id)
		ok = it.SeekGE(end)
	}
	return stray, it.Error()
}

// pieceOf takes a piece's key apart.
func pieceOf(key []byte) (id uint64, n int, err error) {
	if len(key) != pieceKeyLen {
		return 0, 0, fmt.Errorf("%w: key of %d bytes", storage.ErrCorrupt, len(key))
	}
	return binary.BigEndian.Uint64(key[1:]), int(binary.BigEndian.Uint32(key[keyLen:])), nil
}
