package queue

// askCommit and askNegative take long lists of indexes, so they work in steps: Ask.at
// is how many have been dealt with. An unknown index is skipped, because clients
// cannot know what has become of their items meanwhile.

// each calls do for the jobs of the queue that Indexes names, in shares: in each turn for
// at least one index.
func (s *State) each(a *Ask, do func(slot uint32)) Status {
	for begun := a.at; a.at < len(a.Indexes); a.at++ {
		if s.spent() && a.at > begun {
			return More
		}
		s.spend(looking)
		slot := s.find(a.Indexes[a.at])
		if slot == 0 || s.tubeFor(slot).name != a.Queue {
			continue
		}
		s.spend(moving)
		do(slot)
	}
	a.restart()
	return OK
}

// askCommit ends items for the asker's group, if they are pending at any of its
// consumers, or yet to be sent to one: the asker may have been sent them before a restart,
// or before they were taken back from it. What a worker holds or has buried, or what is
// delayed, is the workers' business.
func (s *State) askCommit(_ *Batch, op *Op) Status {
	s.heardOf(op.Ask)
	g := s.groupOf(op.Ask)
	if g == nil {
		return OK
	}
	return s.each(op.Ask, func(slot uint32) {
		if s.undelivered(g, slot) || s.pendingAt(g, slot) != nil {
			s.doneWith(g, slot)
		}
	})
}

// askNegative gives back items that the asker cannot process. The asker gets one of them
// again only if nobody else has room.
func (s *State) askNegative(_ *Batch, op *Op) Status {
	a := op.Ask
	c := s.heardOf(a)
	if c == nil {
		return OK
	}
	s.standBack(c)
	c.stopped = c.stopped || a.Code == CodeShutdown
	status := s.each(a, func(slot uint32) {
		if s.pendingAt(c.group, slot) != c {
			return
		}
		if s.setNote(slot, a.Code, a.Reason); c.group.view == nil {
			s.itemOf(slot).avoid = c.number
		}
		s.returned(c.group, slot)
	})
	s.wake(c) // after those who get what it gives back
	return status
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
func (s *State) askDelete(_ *Batch, op *Op) Status {
	v := s.serving(op.Ask)
	if v == nil {
		return OK
	}
	defer s.served(v)
	return s.each(op.Ask, func(slot uint32) {
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
func (s *State) askTruncate(_ *Batch, op *Op) Status {
	v := s.serving(op.Ask)
	if v == nil {
		return OK
	}
	defer s.served(v)
	if op.phase == 0 && v.tube.newest < op.Ask.Index {
		op.phase = inItems
		s.purge(v.tube, op)
	}
	from := uint64(0)
	if !s.whole(v) || !v.walk(s, &from, ending, func(slot uint32) bool {
		if s.job(slot).id() >= op.Ask.Index {
			return false
		}
		s.endForAll(slot)
		return true
	}) {
		return More
	}
	return OK
}

// askEnd ends a queue: it takes no more items. With Force, the items that nobody has end
// too; otherwise they are delivered.
func (s *State) askEnd(_ *Batch, op *Op) Status {
	a := op.Ask
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
	if a.Force && (!s.whole(v) || !v.walk(s, &a.from, visiting, func(slot uint32) bool {
		if !s.had(v, slot) {
			s.spend(ending)
			s.endForAll(slot)
		}
		return true
	})) {
		return More
	}
	a.restart()
	return OK
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
