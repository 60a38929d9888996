package repair

import (
	"errors"
	"math"

	"beanfield/storage/pebblestore/database"
	"beanfield/storage/pebblestore/format"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// table reads a table, and steps over what cannot be read.
func (s *salvage) table(path string, number uint64, f vfs.File, fn visit) error {
	r, err := database.OpenTable(f, path)
	if err != nil {
		s.damaged(path, err)
		s.tableHole(number)
		return nil
	}
	defer r.Close()
	for from := []byte{0}; from != nil; {
		last, err := database.WalkTable(r, from, func(kind pebble.InternalKeyKind, seq uint64, key,
			value []byte) error {
			return fn(kind, s.rank(number, seq), key, value)
		})
		if stop := (stopped{}); err == nil || errors.As(err, &stop) {
			return err
		}
		if last == nil {
			last = from
		}
		from = readableAfter(r, last)
		s.damaged(path, err)
		s.keyHole(last, from)
	}
	return nil
}

// readableAfter finds the first key after another from which on the table can be
// read again, or nil at its end. It takes longer and longer steps until it finds one,
// and then halves the last step.
func readableAfter(r *sstable.Reader, key []byte) []byte {
	kind, id := splitKey(key)
	for ; kind <= format.KeyPiece; kind, id = kind+1, 0 {
		if kind == format.KeyQueue {
			if key[0] != format.KeyQueue {
				key = []byte{format.KeyQueue}
			}
			if next := readableName(r, key); next != nil {
				return next
			}
			if next := format.Key(kind+1, 0); canSeek(r, next[:]) {
				return next[:]
			}
			continue
		}
		bad, step := id, uint64(1)
		good := uint64(math.MaxUint64)
		for step > 0 && bad <= math.MaxUint64-step {
			if canSeekID(r, kind, bad+step) {
				good = bad + step
				break
			}
			bad, step = bad+step, 2*step
		}
		if good == math.MaxUint64 && !canSeekID(r, kind, good) {
			if canSeekID(r, kind+1, 0) {
				next := format.Key(kind+1, 0)
				return next[:]
			}
			continue
		}
		for good-bad > 1 {
			if middle := bad + (good-bad)/2; canSeekID(r, kind, middle) {
				good = middle
			} else {
				bad = middle
			}
		}
		next := format.Key(kind, good)
		return next[:]
	}
	return nil
}

// splitKey gives the kind and the id of a key, even of one that is not valid. The id of a
// queue is 0.
func splitKey(key []byte) (kind byte, id uint64) {
	if len(key) > 0 && key[0] == format.KeyQueue {
		return format.KeyQueue, 0
	}
	if len(key) == format.PieceKeyLen {
		key = key[:format.KeyLen]
	}
	id, err := format.KeyID(key)
	if err != nil {
		return format.KeyMaxID, 0
	}
	return key[0], id
}

// canSeek says whether the block can be read in which a key is, or would be.
func canSeek(r *sstable.Reader, key []byte) bool {
	it, err := r.NewIter(sstable.NoTransforms, nil, nil, sstable.AssertNoBlobHandles)
	if err != nil {
		return false
	}
	it.SeekGE(key, 0)
	return errors.Join(it.Error(), it.Close()) == nil
}

func canSeekID(r *sstable.Reader, kind byte, id uint64) bool {
	key := format.Key(kind, id)
	return canSeek(r, key[:])
}

// keyHole notes which records may have been between two keys of a table. Updates that
// are lost leave their jobs in an older state, and pieces are missed when a body is
// put together.
func (s *salvage) keyHole(last, next []byte) {
	fromKind, from := splitKey(last)
	toKind, to := byte(format.KeyPiece), uint64(0)
	if next != nil {
		toKind, to = splitKey(next)
	}
	if fromKind <= format.KeyQueue && toKind >= format.KeyQueue {
		s.result.QueuesInDoubt = true
	}
	if fromKind > format.KeyRecord || toKind < format.KeyRecord || toKind == format.KeyRecord && to == 0 {
		return
	}
	if fromKind < format.KeyRecord {
		from = 0
	}
	if toKind > format.KeyRecord || to == 0 {
		to = math.MaxUint64
	} else {
		to--
	}
	s.deletesHole(from+1, to)
}

// tableHole notes which records may have been in a table that cannot be read at all.
func (s *salvage) tableHole(number uint64) {
	if s.witness.Manifest == nil {
		s.deletesHole(1, math.MaxUint64)
		s.result.QueuesInDoubt = true
		return
	}
	t, ok := s.witness.Manifest.Tables[number]
	if !ok || len(t.Smallest) == 0 || len(t.Largest) == 0 {
		return // it does not count
	}
	fromKind, from := splitKey(t.Smallest)
	toKind, to := splitKey(t.Largest)
	if fromKind <= format.KeyQueue && toKind >= format.KeyQueue {
		s.result.QueuesInDoubt = true
	}
	if fromKind > format.KeyRecord || toKind < format.KeyRecord {
		return
	}
	if fromKind < format.KeyRecord {
		from = 1
	}
	if toKind > format.KeyRecord {
		to = math.MaxUint64
	}
	s.deletesHole(from, to)
}

// deletesHole notes that records or their deletes may have been in what cannot be read.
func (s *salvage) deletesHole(from, to uint64) {
	s.hole(from, to)
	if !s.giving && from <= to {
		s.doubts.holes = append(s.doubts.holes, idRange{from, to})
	}
}
