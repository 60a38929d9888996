package queue

// The moves of a job between its places (S1). Each un… leaves the job in no
// place; each make… puts a job from no place into one.

func (s *State) makeReady(slot uint32) {
	j, t := s.at(slot)
	j.setState(Ready)
	key := readyKey(j.pri, j.id(), slot)
	if t.policy != nil {
		key = s.readyByPolicy(t, slot)
	}
	t.ready.Push(s.jobPos, key)
	s.totals.Ready++
	if j.pri < urgentBelow {
		t.urgent++
		s.totals.Urgent++
	}
	var sought []*tagIndex
	if s.tagIndexes != nil {
		sought = s.addToTagIndexes(t, slot)
	}
	if t.opening {
		s.reopen(t)
	}
	if t.service != nil {
		s.itemReady(t, slot, sought)
	} else if t.waiters.Head != nil || t.byMany > 0 || sought != nil {
		s.match(t, sought)
	}
}

func (s *State) unready(slot uint32) {
	j, t := s.at(slot)
	if s.tagIndexes != nil {
		s.dropFromTagIndexes(t, slot)
	}
	t.ready.Remove(s.jobPos, s.jobPos.Get(slot))
	s.unrank(t, slot)
	s.totals.Ready--
	if j.pri < urgentBelow {
		t.urgent--
		s.totals.Urgent--
	}
	if t.opening {
		s.reopen(t)
	}
}

func (s *State) makeDelayed(slot uint32, deadline int64) {
	j, t := s.at(slot)
	j.setState(Delayed)
	s.rareOf(j).key = deadline
	t.delayed.Push(s.jobPos, deadlineKey(deadline, j.id(), slot))
	s.rank(t, slot)
	s.totals.Delayed++
	s.retime(t)
}

func (s *State) undelay(slot uint32) {
	j, t := s.at(slot)
	t.delayed.Remove(s.jobPos, s.jobPos.Get(slot))
	s.unrank(t, slot)
	s.rare(j).key = 0
	s.totals.Delayed--
	s.retime(t)
}

func (s *State) makeBuried(slot uint32) {
	j, t := s.at(slot)
	j.setState(Buried)
	s.buryRank++
	s.rareOf(j).key = int64(s.buryRank)
	s.listAppend(&t.buried, slot)
	s.rank(t, slot)
	s.totals.Buried++
	if t.service != nil {
		s.mayBeOver(t.service)
	}
}

func (s *State) unbury(slot uint32) {
	t := s.tubeFor(slot)
	s.listRemove(&t.buried, slot)
	s.rare(s.job(slot)).key = 0
	s.unrank(t, slot)
	s.totals.Buried--
	if s.quarantined[slot] {
		delete(s.quarantined, slot)
		s.totals.Damaged--
	}
}

// unplace takes a job out of whatever place it is in.
func (s *State) unplace(slot uint32) {
	switch s.job(slot).state() {
	case Ready:
		s.unready(slot)
	case Delayed:
		s.undelay(slot)
	case Reserved:
		s.unhold(slot)
	case Buried:
		s.unbury(slot)
	case Passed:
		s.unpass(slot)
	case Leaving:
		s.unleave(slot)
	case Arriving:
		s.unarrive(slot)
	}
}

// forget ends a job that is in no place. With a log the directory keeps its id
// until the delete is committed. Commands for the job still come to this shard until
// then, and the answer NOT_FOUND waits for that commit (L1).
func (s *State) forget(slot uint32) {
	j, t := s.at(slot)
	id := j.id()
	if t.service != nil {
		t.service.jobGone(s, slot)
	}
	t.loses(j)
	s.vanish(slot)
	s.tellGone(id)
	s.letGo(t)
}

// tellGone lets the directory forget a job, when the log has its end.
func (s *State) tellGone(id uint64) {
	if s.Durable {
		s.Gone = append(s.Gone, id)
	} else {
		s.Directory.JobGone(id)
	}
}

// vanish ends a job that is in no place and no tube's.
func (s *State) vanish(slot uint32) {
	s.leaves(slot)
	s.erase(slot)
}

// erase frees the record of a job.
func (s *State) erase(slot uint32) {
	j := s.job(slot)
	if s.extra != nil {
		s.dropOptions(slot)
	}
	s.index.remove(&s.jobs, slot)
	s.dropBody(j)
	if j.place&flagRoute != 0 {
		s.dropRoute(slot)
	}
	if j.rare != 0 {
		s.dropItem(s.rare(j))
		s.rares.Release(j.rare)
	}
	s.jobs.Release(slot)
}

// seen tells those who look at items of a job that may have been delayed, and is not ready.
func (s *State) seen(slot uint32) {
	if v := s.tubeFor(slot).service; v != nil {
		v.index.gets.offer(s, slot, false)
	}
}
