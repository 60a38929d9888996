package pebblestore

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"

	"beanfield/storage"
	"beanfield/storage/turns"

	"github.com/cockroachdb/pebble/v2"
)

// The place of a store is how far it has folded its log. It is in the same ingest as the
// share that leads up to it: so a store is always what its place says, and begins there when
// it is opened again. The value has the prefix of other records, and then origin, number and
// hash, 8 bytes each.
const placeLen = recordPrefix + 3*8

func appendPlace(dst []byte, p turns.Place) []byte {
	key := makeKey(keyPlace, 0)
	start := len(dst)
	dst = append(dst, recordVersion, 0, 0, 0, 0)
	for _, v := range [...]uint64{p.Origin, p.Number, p.Hash} {
		dst = binary.BigEndian.AppendUint64(dst, v)
	}
	seal(key[:], dst[start:])
	return dst
}

// readPlace reads the place of a store. Every store has one from its first moment, like the
// highest id; one that older builds have written has none before it is taken over.
func readPlace(r pebble.Reader) (p turns.Place, err error) {
	key := makeKey(keyPlace, 0)
	value, closer, err := r.Get(key[:])
	if errors.Is(err, pebble.ErrNotFound) {
		return p, fmt.Errorf("%w: it does not say how far it has folded its log", storage.ErrCorrupt)
	}
	if err != nil {
		return p, err
	}
	defer closer.Close()
	return decodePlace(key[:], value)
}

func decodePlace(key, value []byte) (p turns.Place, err error) {
	rest, err := unseal(key, value)
	if err != nil {
		return p, err
	}
	if len(value) != placeLen {
		return p, fmt.Errorf("%w: place in the log", storage.ErrCorrupt)
	}
	at := func(i int) uint64 { return binary.BigEndian.Uint64(rest[8*i:]) }
	return turns.Place{Origin: at(0), Number: at(1), Hash: at(2)}, nil
}

// newPlace is where a new log begins.
func newPlace() turns.Place { return turns.Place{Origin: rand.Uint64()} }
