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
	s.each(op, func(slot uint32) {
		if s.undelivered(g, slot) || s.pendingAt(g, slot) != nil {
			s.doneWith(g, slot)
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
	s.each(op, func(slot uint32) {
		if s.pendingAt(c.group, slot) != c {
			return
		}
		if s.setNote(slot, a.Code, a.Reason); c.group.view == nil {
			s.itemOf(slot).avoid = c.number
		}
		s.returned(c.group, slot)
	})
	s.wake(c) // after those who get what it gives back
}
