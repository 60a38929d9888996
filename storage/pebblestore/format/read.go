package format

import (
	"errors"
	"fmt"
	"hash/crc32"
	"slices"

	"beanfield/storage"
	"beanfield/storage/turns"

	"github.com/cockroachdb/pebble/v2"
)

func KindRange(kind byte) *pebble.IterOptions {
	return &pebble.IterOptions{LowerBound: []byte{kind}, UpperBound: []byte{kind + 1}}
}

// MaxID reads the highest id that a database has ever recorded. Every
// database has that key from its first moment: without it, it has lost its files.
func MaxID(r pebble.Reader) (uint64, error) {
	return single(r, KeyMaxID, DecodeMaxID, "the database is empty")
}

// Place reads the place of a store. Every store has one from its first moment, like the
// highest id.
func Place(r pebble.Reader) (turns.Place, error) {
	return single(r, KeyPlace, DecodePlace, "it does not say how far it has folded its log")
}

// single reads the only value of a kind.
func single[T any](r pebble.Reader, kind byte, decode func(key, value []byte) (T, error), missing string) (v T,
	err error) {
	key := Key(kind, 0)
	value, closer, err := r.Get(key[:])
	if errors.Is(err, pebble.ErrNotFound) {
		return v, fmt.Errorf("%w: %s", storage.ErrCorrupt, missing)
	}
	if err != nil {
		return v, err
	}
	defer closer.Close()
	return decode(key[:], value)
}

// EachQueue calls fn for every queue of a database.
func EachQueue(r pebble.Reader, fn func(q *storage.Queue) error) (err error) {
	it, err := r.NewIter(KindRange(KeyQueue))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	for ok := it.First(); ok; ok = it.Next() {
		value, err := it.ValueAndErr()
		if err != nil {
			return err
		}
		q, err := DecodeQueue(it.Key(), value)
		if err != nil {
			return fmt.Errorf("queue %q: %w", it.Key()[1:], err)
		}
		if err := fn(q); err != nil {
			return err
		}
	}
	return it.Error()
}

// ReadPieces appends the body of a job to dst.
func ReadPieces(r pebble.Reader, j *storage.Job, sum uint32, dst []byte) (_ []byte, err error) {
	from, to := PieceBounds(j.ID)
	it, err := r.NewIter(&pebble.IterOptions{LowerBound: from, UpperBound: to})
	if err != nil {
		return dst, err
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	start, got := len(dst), uint32(0)
	dst = slices.Grow(dst, int(j.Size))
	valid := it.First()
	for n := 0; len(dst)-start < int(j.Size); n++ {
		want := PieceKey(j.ID, n)
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
		piece, err := Unseal(want[:], value)
		if err != nil {
			return dst, fmt.Errorf("piece %d of the body of job %d: %w", n, j.ID, err)
		}
		dst = append(dst, piece...)
		got = crc32.Update(got, Castagnoli, piece) // with all at once, a gigabyte takes 40 ms
		valid = it.Next()
	}
	return dst, CheckBody(j, sum, len(dst)-start, got)
}

// StrayBodies finds the bodies that no record refers to: their jobs were never
// put. known are those that have one.
func StrayBodies(r pebble.Reader, known map[uint64]bool) (stray []uint64, err error) {
	it, err := r.NewIter(KindRange(KeyPiece))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	for ok := it.First(); ok; {
		id, _, err := PieceOf(it.Key())
		if err != nil {
			return nil, err
		}
		if !known[id] {
			stray = append(stray, id)
		}
		_, end := PieceBounds(id)
		ok = it.SeekGE(end)
	}
	return stray, it.Error()
}
