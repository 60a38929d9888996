package repair

import (
	"errors"
	"math"
	"slices"

	"beanfield/storage"
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

// readableAfter finds the first key behind an unreadable one, or nearly the first, from which on the
// table can be read again; nil if there is none. It tries keys that have less and less in common with
// the unreadable one until it finds one, and then looks for an earlier one.
func readableAfter(r *sstable.Reader, key []byte) []byte {
	key = key[:min(len(key), longest(key[0]))]
	for n := min(len(key), longest(key[0])-1); n >= 0; n-- {
		first := 0
		if n < len(key) {
			first = int(key[n]) + 1
		}
		c := readableChild(r, key[:n], first)
		if c < 0 {
			continue
		}
		next := child(key[:n], c)
		for below := key[:n]; c > first && len(next) < longest(next[0]); {
			below, first = child(below, c-1), 0
			if c = readableChild(r, below, first); c < 0 {
				break
			}
			next = child(below, c)
		}
		return next
	}
	return nil
}

// longest is how long keys of a kind are looked at: an id has a fixed length, and the name of a queue any.
func longest(kind byte) int {
	if kind == format.KeyQueue {
		return 1 + storage.MaxName
	}
	return format.KeyLen
}

// readableChild finds the smallest byte, not below first, such that the table can be read
// from the key with that byte added; -1 if there is none.
func readableChild(r *sstable.Reader, key []byte, first int) int {
	for c := first; c <= 0xff; c++ {
		if canSeek(r, child(key, c)) {
			return c
		}
	}
	return -1
}

func child(key []byte, c int) []byte { return append(slices.Clone(key), byte(c)) }

// splitKey gives the kind and the id of a key, or of what is behind one that is too short. The id of a
// queue is 0.
func splitKey(key []byte) (kind byte, id uint64) {
	if key[0] == format.KeyQueue {
		return format.KeyQueue, 0
	}
	var whole [format.KeyLen]byte
	copy(whole[:], key)
	id, _ = format.KeyID(whole[:])
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

// keyHole notes which records may have been between two keys of a table. Updates that
// are lost leave their jobs in an older state, and pieces are missed when a body is
// put together.
func (s *salvage) keyHole(last, next []byte) {
	fromKind, from := splitKey(last)
	toKind, to := byte(format.KeyPiece), uint64(0)
	if next != nil {
		toKind, to = splitKey(next)
	}
	if toKind == format.KeyRecord && to == 0 {
		toKind = format.KeyQueue
	}
	s.keysHole(fromKind, from+1, toKind, to-1)
}

// tableHole notes which records may have been in a table that cannot be read at all.
func (s *salvage) tableHole(number uint64) {
	if s.witness.Manifest == nil {
		s.keysHole(0, 0, format.KeyPiece, 0)
		return
	}
	t, ok := s.witness.Manifest.Tables[number]
	if !ok || len(t.Smallest) == 0 || len(t.Largest) == 0 {
		return // it does not count
	}
	fromKind, from := splitKey(t.Smallest)
	toKind, to := splitKey(t.Largest)
	s.keysHole(fromKind, from, toKind, to)
}

// keysHole notes that keys, of jobs and of their ends too, may have been in what cannot be read.
func (s *salvage) keysHole(fromKind byte, from uint64, toKind byte, to uint64) {
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
	s.hole(from, to)
	if !s.giving && from <= to {
		s.doubts.holes = append(s.doubts.holes, idRange{from, to})
	}
}
