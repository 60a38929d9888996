package queue

import (
	"beanfield/shard/queue/cells"
	"beanfield/shard/queue/policy"
)

// The rankings of a tube that a policy covers: which ready jobs go first when it is full, and which of its jobs are the
// oldest. Tubes without such a policy pay nothing.

// victimKey is the key of a ready job among those that may be dropped.
func victimKey(f policy.Full, j *job, slot uint32) cells.Entry {
	if f == policy.FullOldest {
		return putKey(j, slot)
	}
	e := readyKey(j.pri, j.id(), slot)
	return cells.Entry{Major: ^e.Major, Minor: ^e.Minor, Slot: slot}
}

// putKey orders jobs by when they were put. Ids alone would not do: a put whose body takes long
// to come has an early id, and a clock may have been set back before a restart.
func putKey(j *job, slot uint32) cells.Entry {
	return cells.Entry{Major: uint64(j.created() / millisecond), Minor: j.idLow, Slot: slot}
}

// rank is told of a job that is in one of the tube's places.
func (s *State) rank(t *tube, slot uint32) {
	j := s.job(slot)
	if v := t.policy.victims; v != nil && j.state() == Ready {
		v.Add(&s.policies.victims, victimKey(t.policy.Full, j, slot), j.size)
	}
	if a := t.policy.ages; a != nil && t.policy.countsAge(j.state()) {
		a.Add(&s.policies.ages, s.ageKey(t.policy.Policy, slot), j.size)
		s.retimeAges(t)
	}
}

// unrank is told of a job that leaves its place.
func (s *State) unrank(t *tube, slot uint32) {
	j := s.job(slot)
	if v := t.policy.victims; v != nil && j.state() == Ready {
		v.Drop(&s.policies.victims, slot, j.size)
	}
	if a := t.policy.ages; a != nil {
		a.Drop(&s.policies.ages, slot, j.size)
		s.retimeAges(t)
	}
}
