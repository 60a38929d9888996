package queue

import "strings"

// finish notes that the first group is done with a job, which is in no place. The job
// ends, unless a view is not done with it.
func (s *State) finish(now int64, slot uint32) {
	t := s.tubeAt.Get(s.jobs.At(slot).tube())
	t.deletes++
	if t.service != nil && t.service.wanted(slot) {
		s.makePassed(slot)
		s.logUpdate(slot)
		return
	}
	s.settle(now, slot)
}

// rebalance gives to others a job, which is in no place, because a consumer of the first
// group has not dealt with it. A job that was sent as often as it may be is a dead letter.
func (s *State) rebalance(now int64, slot uint32) {
	s.rebalanced++
	it := s.itemOf(slot)
	it.rebalances++
	j := s.jobs.At(slot)
	l := s.tubeAt.Get(j.tube()).service.limits
	roomy := !s.Durable || s.Log.RoomToUpdate()
	if roomy && l.MaxDelivery > 0 && int(it.rebalances) >= l.MaxDelivery {
		s.die(now, slot, l.DeadLetter)
		return
	}
	j.setState(Ready)
	if roomy {
		s.logUpdate(slot)
	}
	s.makeReady(now, slot)
}

// die does with a dead letter, which is in no place, what the queue's policy says. If a
// view is not done with it, its fate is only noted. In a rear queue, or if the name of the
// rear queue would be too long, it is buried instead of moved.
func (s *State) die(now int64, slot uint32, f Fate) {
	t := s.tubeAt.Get(s.jobs.At(slot).tube())
	if t.service.wanted(slot) {
		it := s.itemOf(slot)
		it.fated, it.fate = true, f
		s.makePassed(slot)
		s.logUpdate(slot)
		return
	}
	s.itemOf(slot).fated = false // another group may have decided it before
	s.dead++
	switch {
	case f == FateDrop:
		s.logDelete(slot)
		s.forget(slot)
	case f == FateRear && !strings.HasSuffix(t.name, RearSuffix) && len(t.service.pair) <= MaxName:
		s.move(now, slot, s.tubeNamed([]byte(t.service.pair)))
		s.letGo(t)
	default:
		s.trailOf(s.jobs.At(slot)).buries++
		s.makeBuried(slot)
		s.logUpdate(slot)
	}
}

// move makes a job, which is in no place, ready in another tube. Its deliveries are
// counted anew there.
func (s *State) move(now int64, slot uint32, to *tube) {
	j := s.jobs.At(slot)
	from := s.tubeAt.Get(j.tube())
	if from.service != nil {
		from.service.jobGone(s, slot)
	}
	it := s.itemOf(slot)
	it.moved, it.rebalances = true, 0
	j.place = j.place&(1<<tubeShift-1) | to.slot<<tubeShift
	to.total++
	to.newest = max(to.newest, j.id())
	if to.service != nil {
		to.service.jobBorn(s, slot)
	}
	j.setState(Ready)
	s.logUpdate(slot)
	s.makeReady(now, slot)
}
