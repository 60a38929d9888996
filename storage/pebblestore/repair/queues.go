package repair

import (
	"bytes"
	"errors"
	"maps"
	"slices"

	"beanfield/storage/pebblestore/format"

	"github.com/cockroachdb/pebble/v2"
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
