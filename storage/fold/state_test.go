package fold

import (
	"cmp"
	"fmt"
	"maps"

	"beanfield/storage/turns"
)

// state is what turns amount to, worked out without any cleverness: of a shard, or of what its
// store has. A large job's value begins with "L", and its body is kept apart.
type state struct {
	records map[uint64]string
	updates map[uint64]string
	bodies  map[uint64]bool
	queues  map[string]string
	highest uint64
}

func newState() state {
	return state{map[uint64]string{}, map[uint64]string{}, map[uint64]bool{}, map[string]string{}, 0}
}

func (s state) clone() state {
	return state{maps.Clone(s.records), maps.Clone(s.updates), maps.Clone(s.bodies), maps.Clone(s.queues), s.highest}
}

func (s state) equal(o state) bool {
	return maps.Equal(s.records, o.records) && maps.Equal(s.updates, o.updates) && maps.Equal(s.bodies, o.bodies) &&
		maps.Equal(s.queues, o.queues) && s.highest == o.highest
}

// apply does to a state what an operation says. It takes no more away than that.
func (s *state) apply(op turns.Op) {
	switch op.Kind {
	case turns.Put:
		s.records[op.ID] = string(op.Value)
		if op.Value[0] == 'L' {
			s.bodies[op.ID] = true
		}
		s.highest = max(s.highest, op.ID)
	case turns.Update:
		s.updates[op.ID] = string(op.Value)
	case turns.Delete:
		delete(s.records, op.ID)
		if op.Updated {
			delete(s.updates, op.ID)
		}
		if op.Large {
			delete(s.bodies, op.ID)
		}
	case turns.SetQueue:
		s.queues[string(op.Name)] = string(op.Value)
	case turns.Members:
		s.queues[ofNodes] = string(op.Value)
	case turns.DropQueue:
		delete(s.queues, string(op.Name))
	case turns.Raise:
		s.highest = max(s.highest, op.ID)
	}
}

// store is what shares make of an empty store, and what FO2 needs to be known of it.
type store struct {
	state
	place        int // how many turns it has
	set, removed map[uint64]bool
}

func newStore() *store { return &store{newState(), 0, map[uint64]bool{}, map[uint64]bool{}} }

func (s *store) clone() *store {
	return &store{s.state.clone(), s.place, maps.Clone(s.set), maps.Clone(s.removed)}
}

// take gives the store a share. It returns what breaks FO2, or the promises of Share.
// older says whether the put of a job was absorbed by an earlier window than this share's.
func (s *store) take(sh *Share, older func(id uint64) bool) (wrong string) {
	if !ordered(sh) {
		return fmt.Sprintf("a list of the share is out of order: %+v", *sh)
	}
	for _, c := range sh.Records {
		switch {
		case s.removed[c.ID], c.Value != nil && s.set[c.ID]:
			return fmt.Sprintf("FO2: record %d changes once more", c.ID)
		case c.Value != nil:
			s.set[c.ID], s.records[c.ID] = true, string(c.Value)
		case !s.set[c.ID] && !older(c.ID):
			return fmt.Sprintf("FO2: record %d is removed, and was never set", c.ID)
		default:
			s.removed[c.ID] = true
			delete(s.records, c.ID)
		}
	}
	for _, c := range sh.Updates {
		if c.Value != nil {
			s.updates[c.ID] = string(c.Value)
		} else {
			delete(s.updates, c.ID)
		}
	}
	for _, id := range sh.Bodies {
		delete(s.bodies, id)
	}
	for _, c := range sh.Queues {
		if c.Value != nil {
			s.queues[string(c.Name)] = string(c.Value)
		} else {
			delete(s.queues, string(c.Name))
		}
	}
	if sh.Members != nil {
		s.queues[ofNodes] = string(sh.Members.Value)
	}
	s.highest, s.place = max(s.highest, sh.Highest), int(sh.Place.Number)
	return ""
}

// ordered says whether each list has its entries in order, and one for each job or queue.
func ordered(sh *Share) bool {
	byID, byName := func(c Change) uint64 { return c.ID }, func(c Change) string { return string(c.Name) }
	return ascends(sh.Records, byID) && ascends(sh.Updates, byID) && ascends(sh.Queues, byName) &&
		ascends(sh.Bodies, func(id uint64) uint64 { return id })
}

func ascends[T any, K cmp.Ordered](list []T, key func(T) K) bool {
	for i := range list {
		if i > 0 && key(list[i]) <= key(list[i-1]) {
			return false
		}
	}
	return true
}
