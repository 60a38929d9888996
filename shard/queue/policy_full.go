package queue

import "beanfield/shard/queue/policy"

// A policy bounds how many jobs a tube has, and how large they are together. A put beyond
// that is refused, or ready jobs are dropped for it. What comes otherwise, as dead letters of
// another tube do, is not refused, and what is there already when a reload lowers a bound stays
// until the next put.
//
// A queue has another bound, on how long it and its rear queue are together, for the items that are put
// over the queue service (Limits.MaxLength). A put asks both bounds before it takes an id, and again when
// it has one. Whatever it is refused or drops for, it ends here, and is counted alike.

// roomFor says whether a tube has room for so much more, if need be instead of ready jobs: OK or NoRoom, or More while
// it does not know all of those.
func (s *State) roomFor(t *tube, jobs int, bytes int64) Status {
	switch p := t.policy; {
	case p == nil || !p.Over(t.count+jobs, t.bytes+bytes):
		return OK
	case p.victims == nil || p.Over(jobs, bytes):
		return NoRoom
	case !s.ranked(t):
		return More
	case p.Over(t.count+jobs-int(p.victims.N), t.bytes+bytes-p.victims.Size):
		return NoRoom
	}
	return OK
}

// overfull says that the tube has no room for another job beside those that it has.
func (t *tube) overfull(size uint32) bool {
	return t.policy != nil && t.policy.Over(t.count+1, t.bytes+int64(size))
}

// bounded says that the tube may be too full for a put.
func bounded(t *tube, op *Op) bool { return t.policy != nil || op.Kind == Service }

// nextOut is the job that a tube drops next for a put, which has cost it so many already; 0 if it has room.
// NoRoom: there would be none, whatever it drops, so it drops nothing. More: it does not know yet.
func (s *State) nextOut(t *tube, op *Op, dropped int) (slot uint32, status Status) {
	if status = s.roomFor(t, 1, int64(op.Size)); status != OK {
		return 0, status
	}
	if op.Kind == Service && dropped == 0 { // one out, one in
		slot, status = t.service.nextOut(s)
	}
	if slot == 0 && status == OK && t.overfull(op.Size) {
		slot = t.policy.victims.Top().Slot
	}
	return slot, status
}

// makeRoom drops jobs of a full tube for a put that has been accepted. It reports false
// if the put ends here or waits, or if there are more of them than a turn can end. Somebody else may take those that
// are left meanwhile, so then there may be no room after all.
func (s *State) makeRoom(c *Client, t *tube, op *Op) bool {
	for dropped := 0; ; dropped++ {
		slot, status := s.nextOut(t, op, dropped)
		switch {
		case status == NoRoom:
			s.waitOrRefuse(c, t, op, true)
			return false
		case status == More, slot != 0 && dropped > 0 && s.spent(): // one at least, whatever this turn has done before
			if op.Status = More; op.phase == 0 {
				op.phase = admitted
			}
			return false
		case slot == 0:
			return true
		}
		s.dropFor(t, slot)
	}
}

// dropFor ends a job for another one.
func (s *State) dropFor(t *tube, slot uint32) {
	s.spend(ending)
	s.did(t, policy.ActionDrop)
	t.using++ // it must not end with its last job
	s.drop(slot)
	t.using--
}

// refusePut ends a put for which there is no room, whatever has been done for it.
func (s *State) refusePut(t *tube, op *Op) {
	why := NoRoom
	if op.Kind == Service {
		why = TooLong
	}
	s.endPut(t, op, why)
}

// endPut ends a put without a job.
func (s *State) endPut(t *tube, op *Op, why Status) {
	switch op.Status = why; {
	case op.phase == staged:
		s.unstage(t, op)
	case op.ID != 0:
		s.turnAway(op, why)
	}
}
