package queue

// The moves of a job between its places (S1). Each un… leaves the job in no
// place; each make… puts a job from no place into one.

func (s *State) makeReady(now int64, slot uint32) {
	j := s.jobs.at(slot)
	t := s.tubeAt.get(j.tube())
	j.setState(Ready)
	t.ready.push(s.jobPos, readyKey(j.pri, j.id(), slot))
	s.totals.Ready++
	if j.pri < urgentBelow {
		t.urgent++
		s.totals.Urgent++
	}
	if t.opening {
		s.reopen(t)
	}
	if t.service != nil {
		s.itemReady(now, t, slot)
	} else if t.waiters.head != nil || t.wide > 0 {
		s.match(now, t)
	}
}

// itemReady is the rest of makeReady for a tube that has a service.
func (s *State) itemReady(now int64, t *tube, slot uint32) {
	v, id := t.service, s.jobs.at(slot).id()
	v.jobJoins(s, slot)
	if t.waiters.head != nil || t.wide > 0 {
		s.match(now, t)
	}
	v.jobReady(s, now, id)
}

func (s *State) unready(slot uint32) {
	j := s.jobs.at(slot)
	t := s.tubeAt.get(j.tube())
	t.ready.remove(s.jobPos, s.jobPos.get(slot))
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
	j := s.jobs.at(slot)
	t := s.tubeAt.get(j.tube())
	j.setState(Delayed)
	s.trailOf(j).key = deadline
	t.delayed.push(s.jobPos, deadlineKey(deadline, j.id(), slot))
	s.totals.Delayed++
	s.retime(t)
}

func (s *State) undelay(slot uint32) {
	j := s.jobs.at(slot)
	t := s.tubeAt.get(j.tube())
	t.delayed.remove(s.jobPos, s.jobPos.get(slot))
	s.trails.at(j.trail).key = 0
	s.totals.Delayed--
	s.retime(t)
}

func (s *State) makeBuried(slot uint32) {
	j := s.jobs.at(slot)
	t := s.tubeAt.get(j.tube())
	j.setState(Buried)
	s.buryRank++
	s.trailOf(j).key = int64(s.buryRank)
	s.listAppend(&t.buried, slot)
	s.totals.Buried++
	if t.service != nil {
		s.mayBeOver(t.service)
	}
}

func (s *State) unbury(slot uint32) {
	j := s.jobs.at(slot)
	s.listRemove(&s.tubeAt.get(j.tube()).buried, slot)
	s.totals.Buried--
	if s.aside[slot] {
		delete(s.aside, slot)
		s.totals.Damaged--
	}
}

// unplace takes a job out of whatever place it is in.
func (s *State) unplace(slot uint32) {
	switch s.jobs.at(slot).state() {
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
	}
}

// forget ends a job that is in no place. With a log the directory keeps its id
// until the delete is committed. Commands for the job still come to this shard until
// then, and the answer NOT_FOUND waits for that commit (L1).
func (s *State) forget(slot uint32) {
	j := s.jobs.at(slot)
	t := s.tubeAt.get(j.tube())
	id := j.id()
	if t.service != nil {
		t.service.jobGone(s, slot)
	}
	s.index.remove(&s.jobs, slot)
	s.dropBody(j)
	if j.trail != 0 {
		s.dropItem(s.trails.at(j.trail))
		s.trails.release(j.trail)
	}
	s.jobs.release(slot)
	if s.Durable {
		s.Gone = append(s.Gone, id)
	} else {
		s.Directory.JobGone(id)
	}
	s.letGo(t)
}
