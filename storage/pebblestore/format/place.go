package format

import (
	"encoding/binary"
	"fmt"

	"beanfield/storage"
	"beanfield/storage/turns"
)

// The place of a store is how far it has folded its log. It is in the same ingest as the
// share that leads up to it: so a store is always what its place says, and begins there when
// it is opened again. The value has the prefix of other records, and then origin, number and
// hash, 8 bytes each.
const placeLen = HeadLen + 3*8

func AppendPlace(dst []byte, p turns.Place) []byte {
	key := Key(KeyPlace, 0)
	start := len(dst)
	dst = AppendHead(dst)
	for _, v := range [...]uint64{p.Origin, p.Number, p.Hash} {
		dst = binary.BigEndian.AppendUint64(dst, v)
	}
	Seal(key[:], dst[start:])
	return dst
}

func DecodePlace(key, value []byte) (p turns.Place, err error) {
	rest, err := Unseal(key, value)
	if err != nil {
		return p, err
	}
	if len(value) != placeLen {
		return p, fmt.Errorf("%w: place in the log", storage.ErrCorrupt)
	}
	at := func(i int) uint64 { return binary.BigEndian.Uint64(rest[8*i:]) }
	return turns.Place{Origin: at(0), Number: at(1), Hash: at(2)}, nil
}

// MaxIDValue is the value under keyMaxID: after the head, the id in 8 bytes.
func MaxIDValue(id uint64) []byte {
	key := Key(KeyMaxID, 0)
	value := binary.BigEndian.AppendUint64(AppendHead(nil), id)
	Seal(key[:], value)
	return value
}

func DecodeMaxID(key, value []byte) (uint64, error) {
	rest, err := Unseal(key, value)
	if err != nil {
		return 0, err
	}
	if len(rest) != 8 {
		return 0, fmt.Errorf("%w: highest id", storage.ErrCorrupt)
	}
	return binary.BigEndian.Uint64(rest), nil
}
