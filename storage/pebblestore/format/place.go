package format

import (
	"encoding/binary"
	"fmt"

	"beanfield/storage"
	"beanfield/storage/turns"
)

// PlaceValue is the value under KeyPlace, which says how far a store has folded its log. After the head come origin,
// number and hash, 8 bytes each. The place is in the same ingest as the share that leads up to it: so a store is always
// what its place says, and begins there when it is opened again.
func PlaceValue(p turns.Place) []byte {
	value := AppendHead(nil)
	for _, v := range [...]uint64{p.Origin, p.Number, p.Hash} {
		value = binary.BigEndian.AppendUint64(value, v)
	}
	return sealed(KeyPlace, value)
}

// sealed is the only value of a kind, with its checksum.
func sealed(kind byte, value []byte) []byte {
	key := Key(kind, 0)
	Seal(key[:], value)
	return value
}

func DecodePlace(key, value []byte) (p turns.Place, err error) {
	rest, err := Unseal(key, value)
	if err != nil {
		return p, err
	}
	if len(rest) != 3*8 {
		return p, fmt.Errorf("%w: place in the log", storage.ErrCorrupt)
	}
	at := func(i int) uint64 { return binary.BigEndian.Uint64(rest[8*i:]) }
	return turns.Place{Origin: at(0), Number: at(1), Hash: at(2)}, nil
}

// MaxIDValue is the value under KeyMaxID: after the head, the id in 8 bytes.
func MaxIDValue(id uint64) []byte {
	return sealed(KeyMaxID, binary.BigEndian.AppendUint64(AppendHead(nil), id))
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
