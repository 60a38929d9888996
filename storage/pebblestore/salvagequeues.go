package pebblestore

import (
	"bytes"
	"errors"
	"maps"
	"slices"

	"github.com/cockroachdb/pebble/v2"
)

// queueTrace is the newest that is known of a queue.
type queueTrace struct {
	seq   uint64
	value []byte // nil if it was deleted
	at    string // the file
}

func (s *salvage) learnQueue(kind pebble.InternalKeyKind, seq uint64, key, value []byte) error {
	tube, err := queueOf(key)
	if err != nil {
		return err
	}
	if q, ok := s.queues[tube]; ok && seq <= q.seq {
		return nil
	}
	q := queueTrace{seq: seq, at: s.at}
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
		q, err := decodeQueue(queueKey(tube), t.value)
		if errors.Is(err, ErrVersion) {
			return err
		}
		if s.at = t.at; err != nil {
			s.queueHole()
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

// queueHole notes that what is kept of queues may have stood in what cannot be read.
func (s *salvage) queueHole() {
	if s.queued {
		s.result.QueuesInDoubt = true
	}
}
