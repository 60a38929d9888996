package queue

import "beanfield/shard/queue/cells"

// A policy may let the jobs of a tube rise while they wait: each Aging that a job has been ready
// makes its priority smaller by one, until it is 0. What clients are shown, and what is urgent, stays
// the priority that the job was put or released with.
//
// All jobs of the tube rise as fast, so their order never changes, and each has a key for good:
// its priority in steps of time, plus when it became ready. Only between tubes, and shards, it matters
// how far a job has aged by now (head). A job is ready since its put, or since it last became
// ready, which its rare fields have; after a restart, since its put, because that is not logged.
//
// A reload re-keys a tube with few ready jobs at once. One with more keeps its order until it has been
// empty for a moment: there may be millions.

// rekeyMost is how many ready jobs are re-keyed at once.
const rekeyMost = 4096

// isAging says that the tube's jobs rise while they wait.
func (t *tube) isAging() bool { return t.policy != nil && t.policy.step > 0 }

// readySince is when a ready job became so, as a date in milliseconds.
func (s *State) readySince(j *job) int64 {
	if j.rare != 0 {
		if since := s.rare(j).key; since != 0 {
			return since / millisecond
		}
	}
	return j.created() / millisecond
}

// placeKey is the key of a ready job in its tube's heap.
func (s *State) placeKey(t *tube, slot uint32) cells.Entry {
	j := s.job(slot)
	if !t.isAging() {
		return readyKey(j.pri, j.id(), slot)
	}
	return cells.Entry{Major: uint64(j.pri)*uint64(t.policy.step) + uint64(max(0, s.readySince(j))), Minor: j.idLow,
		Slot: slot}
}

// readyByPolicy begins a job's waiting in a tube that a policy covers, and finds its place there.
func (s *State) readyByPolicy(t *tube, slot uint32) cells.Entry {
	if t.ready.N == 0 {
		s.takeStep(t)
		t.policy.rate.MissNothing()
	}
	j, since := s.job(slot), int64(0)
	if t.isAging() && !s.restoring || t.policy.ExpireReady && s.hasPast(j) {
		since = s.now + s.Epoch
	}
	if j.rare != 0 && (t.isAging() || t.policy.ExpireReady) {
		s.rare(j).key = since
	}
	s.rank(t, slot)
	return s.placeKey(t, slot)
}

// takeStep lets a tube whose heap is empty follow its policy.
func (s *State) takeStep(t *tube) { t.policy.step = t.policy.Aging / millisecond }

// policeAging follows a change of a tube's policy. policeRate comes after it, and sees to a tube that is opening.
func (s *State) policeAging(t *tube) {
	if t.policy.step == t.policy.Aging/millisecond || t.ready.N > rekeyMost {
		return
	}
	slots := make([]uint32, t.ready.N)
	for i := range slots {
		slots[i] = t.ready.At(uint32(i)).Slot
	}
	s.spend(moving / 4 * len(slots))
	s.takeStep(t)
	t.ready = cells.Heap{}
	for _, slot := range slots {
		t.ready.Push(s.jobPos, s.placeKey(t, slot))
	}
	s.reorderTagIndexes(t)
}

// agedPri is the priority that a ready job has by now.
func (s *State) agedPri(t *tube, slot uint32) uint32 {
	j := s.job(slot)
	if !t.isAging() {
		return j.pri
	}
	steps := max(0, (s.now+s.Epoch)/millisecond-s.readySince(j)) / t.policy.step
	return uint32(max(0, int64(j.pri)-steps))
}

// head is the best job of a tube that has one, as it compares with those of other tubes.
func (s *State) head(t *tube) cells.Entry {
	e := t.ready.Top()
	if t.policy == nil || t.policy.step == 0 {
		return e
	}
	return s.compared(t, e.Slot)
}

// compared is a ready job as it compares with those of other tubes.
func (s *State) compared(t *tube, slot uint32) cells.Entry {
	return readyKey(s.agedPri(t, slot), s.job(slot).id(), slot)
}

// within says that a claim may take the best job of a tube. Jobs that rise keep their order, also
// when several have come to the same priority: then their ids say nothing.
func (s *State) within(v *Several, c *Client, t *tube) bool {
	worst, at := v.worst(), s.standing(c, t)
	if t.isAging() {
		at.top = readyKey(uint32(at.top.Major>>32), 0, 0)
	}
	return !worst.before(at)
}
