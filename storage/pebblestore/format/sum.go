package format

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"beanfield/storage/fold"

	"github.com/cespare/xxhash/v2"
	"github.com/cockroachdb/pebble/v2"
)

// Sum says what a store has, so that two of them can be compared: a checksum over all keys and
// values, in whatever order they come, and counts.
type Sum struct {
	Hash                          uint64
	Jobs, Updates, Queues, Pieces int
	Bytes                         int64 // of keys and values
	MaxID                         uint64
}

// SumOf is that of a store with a share laid over it. Every value is checked. step is called again
// and again; an error of it ends the work.
func SumOf(r pebble.Reader, share *fold.Share, step func() error) (Sum, error) {
	a := adder{step: step, digest: xxhash.New()}
	highest, err := MaxID(r)
	if err != nil {
		return a.sum, err
	}
	a.sum.MaxID = max(highest, share.Highest)
	if err := EachChange(share, a.value); err != nil {
		return a.sum, err
	}
	for _, p := range share.Pieces {
		key := PieceKey(p.ID, int(p.N))
		if err := a.value(key[:], p.Value); err != nil {
			return a.sum, err
		}
	}
	for _, c := range []struct {
		kind     byte
		replaced func(key []byte) (bool, error)
	}{
		{KeyQueue, named(share.Queues)},
		{KeyRecord, numbered(share.Records)},
		{KeyUpdate, numbered(share.Updates)},
		{KeyPiece, cut(share)},
	} {
		if err := a.rest(r, c.kind, c.replaced); err != nil {
			return a.sum, err
		}
	}
	return a.sum, nil
}

// adder adds up.
type adder struct {
	sum    Sum
	step   func() error
	digest *xxhash.Digest
	n      int
}

// valuesAtOnce is how many values are read before the next step.
const valuesAtOnce = 64

// value adds one; that of a key that is removed is nil.
func (a *adder) value(key, value []byte) error {
	if a.n++; a.n%valuesAtOnce == 0 {
		if err := a.step(); err != nil {
			return err
		}
	}
	if value == nil {
		return nil
	}
	if _, err := Unseal(key, value); err != nil {
		return fmt.Errorf("the value of %q: %w", key, err)
	}
	a.digest.Reset()
	_, _ = a.digest.Write([]byte{byte(len(key))}) // it returns no errors
	_, _ = a.digest.Write(key)
	_, _ = a.digest.Write(value)
	a.sum.Hash += a.digest.Sum64()
	a.sum.Bytes += int64(len(key) + len(value))
	switch key[0] {
	case KeyQueue:
		a.sum.Queues++
	case KeyRecord:
		a.sum.Jobs++
	case KeyUpdate:
		a.sum.Updates++
	case KeyPiece:
		a.sum.Pieces++
	}
	return nil
}

// rest adds what a store has of one kind, without the keys that the share has set or removed.
func (a *adder) rest(r pebble.Reader, kind byte, replaced func(key []byte) (bool, error)) (err error) {
	it, err := r.NewIter(KindRange(kind))
	if err != nil {
		return err
	}
	defer func() {
		if closing := it.Close(); err == nil { // after an error, it is the same one
			err = closing
		}
	}()
	for ok := it.First(); ok; ok = it.Next() {
		old, err := replaced(it.Key())
		if err != nil {
			return err
		}
		if old {
			continue
		}
		value, err := it.ValueAndErr()
		if err == nil {
			err = a.value(it.Key(), value)
		}
		if err != nil {
			return err
		}
	}
	return it.Error()
}

// named and numbered look a key up in changes; both are in the same order.
func named(changes []fold.Change) func(key []byte) (bool, error) {
	return func(key []byte) (bool, error) {
		for len(changes) > 0 && bytes.Compare(changes[0].Name, key[1:]) < 0 {
			changes = changes[1:]
		}
		return len(changes) > 0 && bytes.Equal(changes[0].Name, key[1:]), nil
	}
}

func numbered(changes []fold.Change) func(key []byte) (bool, error) {
	return func(key []byte) (bool, error) {
		id, err := KeyID(key)
		for len(changes) > 0 && changes[0].ID < id {
			changes = changes[1:]
		}
		return len(changes) > 0 && changes[0].ID == id, err
	}
}

// cut says whether a piece goes with its body, or is set anew.
func cut(share *fold.Share) func(key []byte) (bool, error) {
	return func(key []byte) (bool, error) {
		id, n, err := PieceOf(key)
		if err != nil {
			return false, err
		}
		if _, gone := slices.BinarySearch(share.Bodies, id); gone {
			return true, nil
		}
		_, again := slices.BinarySearchFunc(share.Pieces, uint64(n), func(p fold.Piece, n uint64) int {
			return cmp.Or(cmp.Compare(p.ID, id), cmp.Compare(p.N, n))
		})
		return again, nil
	}
}
