package pebblestore

import (
	"encoding/binary"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/batchrepr"
)

// stamp is at the end of every group in the log, and nowhere else: it says how far
// the log, or the one before, had been synced when the group was written. If the group
// can be read, everything up to there must be readable too.
//
// The key, which is the mark's, is secret: a client cannot send a body that contains a
// valid stamp.
type stamp struct {
	key    uint64
	synced extent
}

const (
	stampVersion = 1
	stampMost    = 1 + 8 + 2*binary.MaxVarintLen64
)

// appendTo encodes a stamp: the version, the key, the log's number and the length.
func (s stamp) appendTo(b []byte) []byte {
	b = append(b, stampVersion)
	b = binary.LittleEndian.AppendUint64(b, s.key)
	b = binary.AppendUvarint(b, s.synced.number)
	return binary.AppendUvarint(b, uint64(s.synced.length))
}

func decodeStamp(b []byte) (s stamp, ok bool) {
	if len(b) < 9 || b[0] != stampVersion {
		return s, false
	}
	s.key = binary.LittleEndian.Uint64(b[1:])
	b = b[9:]
	number, n := binary.Uvarint(b)
	if n <= 0 {
		return s, false
	}
	length, k := binary.Uvarint(b[n:])
	if k <= 0 || n+k != len(b) {
		return s, false
	}
	s.synced = extent{number, int64(length)}
	return s, true
}

// put adds the stamp to a batch. It takes no sequence number and goes nowhere but to
// the log.
func (s stamp) put(b *pebble.Batch) {
	var buf [stampMost]byte
	_ = b.LogData(s.appendTo(buf[:0]), nil) // never fails
}

// stampOf finds the stamp of a record of the log, and the tables that it says are
// taken over.
func stampOf(payload []byte) (s stamp, stamped bool, tables []uint64, err error) {
	if len(payload) < batchrepr.HeaderLen {
		return s, false, nil, nil
	}
	for r := batchrepr.Read(payload); ; {
		kind, key, _, ok, err := r.Next()
		if err != nil || !ok {
			return s, stamped, tables, err
		}
		switch kind {
		case pebble.InternalKeyKindLogData:
			s, stamped = decodeStamp(key)
		case pebble.InternalKeyKindIngestSST:
			if n, k := binary.Uvarint(key); k > 0 {
				tables = append(tables, n)
			}
		}
	}
}
