package repair

import (
	"bytes"
	"errors"
	"maps"
	"slices"

	"beanfield/storage"
	"beanfield/storage/pebblestore/format"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/sstable"
)

// queueTrace is the newest record of a queue that was found.
type queueTrace struct {
	rank  uint64
	value []byte // nil if it was deleted
	at    string // where it was found
}

func (s *salvage) learnQueue(kind pebble.InternalKeyKind, rank uint64, key, value []byte) error {
	tube, err := format.QueueOf(key)
	if err != nil {
		return err
	}
	if q, ok := s.queues[tube]; ok && rank <= q.rank {
		return nil
	}
	q := queueTrace{rank: rank, at: s.at}
	if isSet(kind) {
		q.value = bytes.Clone(value)
	}
	s.queues[tube] = q
	return nil
}

// giveQueues calls the caller's function for the queues of a shard.
func (s *salvage) giveQueues() error {
	for _, tube := range slices.Sorted(maps.Keys(s.queues)) {
		t := s.queues[tube]
		if t.value == nil {
			continue
		}
		q, err := format.DecodeQueue(format.QueueKey(tube), t.value)
		if errors.Is(err, format.ErrVersion) {
			return err
		}
		if s.at = t.at; err != nil {
			s.result.QueuesInDoubt = true
			s.lost("the groups of queue %q are left out: %v", tube, err)
			continue
		}
		s.result.Queues++
		if err := s.queueFn(q); err != nil {
			return err
		}
	}
	return nil
}

// readableName finds the first key of a queue, or nearly the first, from which on the
// table can be read again after an unreadable key; nil if there is none. It tries names
// that have less and less in common with the unreadable one until it finds one, and then
// looks for an earlier one.
func readableName(r *sstable.Reader, key []byte) []byte {
	for n := len(key); n > 0; n-- {
		first := 0
		if n < len(key) {
			first = int(key[n]) + 1
		}
		c := readableChild(r, key[:n], first)
		if c < 0 {
			continue
		}
		next := child(key[:n], c)
		for below := key[:n]; c > first && len(next) <= storage.MaxName; {
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
