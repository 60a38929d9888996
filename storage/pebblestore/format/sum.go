package format

import (
	"fmt"

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

// Valued is what SumOf is to be given: all keys that count, as they are when it is made.
func Valued(r pebble.Reader) (*pebble.Iterator, error) {
	return r.NewIter(&pebble.IterOptions{LowerBound: []byte{KeyQueue}, UpperBound: []byte{KeyPiece + 1}})
}

// valuesAtOnce is how many values are read before the next step.
const valuesAtOnce = 64

// SumOf adds up, apart from MaxID. Every value is checked. step is called again
// and again; an error of it ends the work.
func SumOf(it *pebble.Iterator, step func() error) (s Sum, err error) {
	defer func() {
		if closing := it.Close(); err == nil { // after an error, it is the same one
			err = closing
		}
	}()
	counts := map[byte]*int{KeyQueue: &s.Queues, KeyRecord: &s.Jobs, KeyUpdate: &s.Updates, KeyPiece: &s.Pieces}
	digest := xxhash.New()
	n := 0
	for ok := it.First(); ok; ok = it.Next() {
		if n++; n%valuesAtOnce == 0 {
			if err := step(); err != nil {
				return s, err
			}
		}
		key := it.Key()
		value, err := it.ValueAndErr()
		if err == nil {
			_, err = Unseal(key, value)
		}
		if err != nil {
			return s, fmt.Errorf("the value of %q: %w", key, err)
		}
		digest.Reset()
		_, _ = digest.Write([]byte{byte(len(key))}) // it returns no errors
		_, _ = digest.Write(key)
		_, _ = digest.Write(value)
		s.Hash += digest.Sum64()
		s.Bytes += int64(len(key) + len(value))
		if count := counts[key[0]]; count != nil {
			*count++
		}
	}
	return s, it.Error()
}
