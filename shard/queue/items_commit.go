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

// What ends items for all groups at once: delete, truncate, and the forced end of a
// queue. Delete and truncate end any item, even one that a consumer has: a later commit
// of it does nothing, and the consumer's window has room for another.

// serving finds or makes the service of an existing tube, and keeps the tube alive until
// served is called; nil if there is no such tube.
func (s *State) serving(a *Ask) *service {
	t := s.tubes[a.Queue]
	if t == nil {
		return nil
	}
	t.using++
	return s.serviceOf(t, a.Limits)
}

// served ends what serving began.
func (s *State) served(v *service) {
	v.tube.using--
	s.letGo(v.tube)
}

// askDelete ends items by their indexes. Unknown indexes are skipped.
func (s *State) askDelete(op *Op) {
	op.Status = OK
	v := s.serving(op.Ask)
	if v == nil {
		return
	}
	defer s.served(v)
	s.each(op, func(slot uint32) {
		s.spend(ending - moving)
		s.endForAll(slot)
	})
}

// jobIn finds a job of a tube, or 0.
func (s *State) jobIn(t *tube, id uint64) uint32 {
	slot := s.find(id)
	if slot == 0 || s.job(slot).tube() != t.slot {
		return 0
	}
	return slot
}

// askTruncate ends all items before an index, even those that are put meanwhile. Since
// indexes grow, it comes to an end.
func (s *State) askTruncate(op *Op) {
	op.Status = OK
	if v := s.serving(op.Ask); v != nil {
		if op.phase == 0 && v.tube.newest < op.Ask.Index {
			op.phase = inItems
			s.purge(v.tube, op)
		}
		if !s.whole(v) || !s.endBefore(v, op.Ask.Index) {
			op.Status = More
		}
		s.served(v)
	}
}

// endBefore ends the items before an index. It reports false if there are more than a
// turn can end.
func (s *State) endBefore(v *service, index uint64) bool {
	for {
		slot := v.index.order.first()
		if slot == 0 || s.job(slot).id() >= index {
			return true
		}
		if s.spent() {
			return false
		}
		s.spend(ending)
		s.endForAll(slot)
	}
}

// askEnd ends a queue: it takes no more items. With Force, the items that nobody has end
// too; otherwise they are delivered.
func (s *State) askEnd(op *Op) {
	a := op.Ask
	op.Status = OK
	s.tubeNamed([]byte(a.Queue))
	v := s.serving(a)
	defer s.served(v)
	if !v.ended {
		v.ended = true
		s.logQueue(v)
		s.mayBeOver(v)
	}
	if a.Force && a.from == 0 && len(v.views) == 0 { // consumers of views may have some
		s.purge(v.tube, op)
	}
	if a.Force && (!s.whole(v) || !s.endLoose(v, a)) {
		op.Status = More
		return
	}
	a.restart()
}

// endLoose ends the items that nobody has. It reports false if it must go on in another
// turn.
func (s *State) endLoose(v *service, a *Ask) bool {
	return s.walk(v, a, visiting, func(slot uint32) {
		if !s.had(v, slot) {
			s.spend(ending)
			s.endForAll(slot)
		}
	})
}

// had says whether a client or a consumer has a job.
func (s *State) had(v *service, slot uint32) bool {
	if s.job(slot).state() == Reserved {
		return true
	}
	for _, w := range v.views {
		if w.pendingOf(slot) != 0 {
			return true
		}
	}
	return false
}

// oldestLoose finds the oldest item that nobody has, among the first Slice items; 0 if
// there is none. The item index must be whole.
func (s *State) oldestLoose(v *service) uint32 {
	o := &v.index.order
	at := o.seek(0)
	for range Slice {
		slot := o.at(at)
		if slot == 0 {
			break
		}
		s.spend(looking)
		if !s.had(v, slot) {
			return slot
		}
		at = o.next(at)
	}
	return 0
}
