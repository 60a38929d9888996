package queue

import (
	"fmt"

	"beanfield/shard/queue/cells"
)

// ranking is a further order of some jobs of a tube that a policy covers. It costs 20 bytes a
// job, and tubes without such a policy nothing.
type ranking struct {
	heap  cells.Heap
	bytes int64 // of the jobs' bodies
}

// find is where in the ranking a job is. A position that was noted for another ranking, or
// before the job left this one, leads to an entry of another job, or to none.
func (r *ranking) find(p *cells.Positions, slot uint32) (at uint32, found bool) {
	p.Cover(slot)
	at = p.Get(slot)
	return at, at < r.heap.N && r.heap.At(at).Slot == slot
}

// add takes in a job, unless it is there already.
func (r *ranking) add(p *cells.Positions, key cells.Entry, size uint32) {
	if _, found := r.find(p, key.Slot); !found {
		r.heap.Push(*p, key)
		r.bytes += int64(size)
	}
}

// remove forgets a job, unless it was never taken in.
func (r *ranking) remove(p *cells.Positions, slot, size uint32) {
	if at, found := r.find(p, slot); found {
		r.heap.Remove(*p, at)
		r.bytes -= int64(size)
	}
}

// victimKey is the key of a ready job among those that may be dropped.
func (f Full) victimKey(j *job, slot uint32) cells.Entry {
	if f == FullOldest {
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
	j := s.jobs.At(slot)
	if v := t.policy.victims; v != nil && j.state() == Ready {
		v.add(&s.policies.victims, t.policy.Full.victimKey(j, slot), j.size)
	}
	if a := t.policy.ages; a != nil && t.policy.countsAge(j.state()) {
		a.add(&s.policies.ages, s.ageKey(t.policy.Policy, slot), j.size)
		s.retimeAges(t)
	}
}

// unrank is told of a job that leaves its place.
func (s *State) unrank(t *tube, slot uint32) {
	j := s.jobs.At(slot)
	if v := t.policy.victims; v != nil && j.state() == Ready {
		v.remove(&s.policies.victims, slot, j.size)
	}
	if a := t.policy.ages; a != nil {
		a.remove(&s.policies.ages, slot, j.size)
		s.retimeAges(t)
	}
}

// checkRanking looks for jobs that are not, or no longer, where they should be ranked.
func (s *State) checkRanking(r *ranking, p cells.Positions, whole bool, want uint32, key func(*job, uint32) (cells.Entry, bool)) error {
	bytes := int64(0)
	for i := range r.heap.N {
		e := *r.heap.At(i)
		j := s.jobs.At(e.Slot)
		if k, belongs := key(j, e.Slot); !belongs || k != e {
			return fmt.Errorf("M2: job %d is ranked wrongly", j.id())
		}
		bytes += int64(j.size)
	}
	if whole && r.heap.N != want || bytes != r.bytes {
		return fmt.Errorf("M2: %d jobs of %d bytes are ranked, want %d of %d", r.heap.N, r.bytes, want, bytes)
	}
	return r.heap.Check(p)
}
