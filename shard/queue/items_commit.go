package queue

// askCommit and askNegative take long lists of indexes, so they work in steps: op.Count
// is how many have been dealt with. An unknown index is skipped, because clients
// cannot know what has become of their items meanwhile.

// each calls do for the jobs of the queue that Indexes names, in shares: in each turn for
// at least one index.
func (s *State) each(op *Op, do func(slot uint32)) {
	a := op.Ask
	for begun := op.Count; int(op.Count) < len(a.Indexes); op.Count++ {
		if s.spent() && op.Count > begun {
			op.Status = More
			return
		}
		s.spend(looking)
		slot := s.find(a.Indexes[op.Count])
		if slot == 0 || s.tubeOf(s.job(slot)).name != a.Queue {
			continue
		}
		s.spend(moving)
		do(slot)
	}
	op.Status = OK
}

// pendingAt is the consumer of the first group that has a job; nil if there is none.
func (s *State) pendingAt(slot uint32) *consumer {
	if s.job(slot).state() != Reserved {
		return nil
	}
	return s.holderOf(slot).consumer
}

// askCommit ends items for the asker's group, if they are pending at any of its
// consumers, or yet to be sent to one: the asker may have been sent them before a restart,
// or before they were taken back from it. What a worker holds or has buried, or what is
// delayed, is the workers' business.
func (s *State) askCommit(op *Op) {
	op.Status = OK
	s.heardOf(op.Ask)
	g := s.serviceNamed(op.Ask).groupNamed(op.Ask.Group)
	if g == nil {
		return
	}
	if g.view != nil {
		s.each(op, func(slot uint32) { s.viewCommits(g.view, slot) })
		return
	}
	s.each(op, func(slot uint32) {
		if c := s.pendingAt(slot); c != nil && c.group == g {
			s.unhold(slot)
			s.finish(slot)
		} else if s.job(slot).state() == Ready {
			s.unready(slot)
			s.finish(slot)
		}
	})
}

// askNegative gives back items that the asker cannot process. The asker gets one of them
// again only if nobody else has room.
func (s *State) askNegative(op *Op) {
	op.Status = OK
	a := op.Ask
	c := s.heardOf(a)
	if c == nil {
		return
	}
	s.standBack(c)
	c.stopped = c.stopped || a.Code == CodeShutdown
	if c.group.view != nil {
		defer s.wake(c) // after those who get what it gives back
	} else {
		s.wake(c)
	}
	s.each(op, func(slot uint32) {
		if c.group.view != nil {
			s.viewRefuses(c, slot, a)
		} else if s.pendingAt(slot) == c {
			s.setNote(slot, a.Code, a.Reason)
			s.itemOf(slot).avoid = c.number
			s.unhold(slot)
			s.rebalance(slot)
		}
	})
}

// standBack takes a consumer out of all lines, so that others can have what it is about
// to give back. The caller must wake it afterwards.
func (s *State) standBack(c *consumer) {
	s.unwait(&c.client)
	c.look = min(c.look, lookedAll-1) // so that others are shown it first
	s.leaveLine(c)
}

// rebalance gives to others a job, which is in no place, because a consumer of the first
// group has not dealt with it. A job that was sent as often as it may be is a dead letter.
func (s *State) rebalance(slot uint32) {
	s.rebalanced++
	it := s.itemOf(slot)
	it.rebalances++
	j := s.job(slot)
	l := s.tubeOf(j).service.limits
	perished, roomy := s.perishes(slot, it.rebalances, l.MaxDelivery, l.DeadLetter, ForReturns)
	if perished {
		return
	}
	j.setState(Ready)
	if roomy {
		s.logUpdate(slot)
	}
	s.makeReady(slot)
}
