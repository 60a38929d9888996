package queue

// delete ends a job: for the first group only if the client holds it, and for all groups
// if nobody holds it.
func (s *State) delete(b *Batch, op *Op) Status {
	slot, status := s.jobFor(b, op)
	if slot == 0 {
		return status
	}
	if s.job(slot).state() != Reserved {
		op.Unheld = true
		s.endForAll(slot)
		return OK
	}
	if !s.holds(b.Client, slot) {
		return NotFound
	}
	s.unhold(slot)
	s.finish(slot)
	return OK
}

// finish ends a job, which is in no place, because who had it is done with it. If the queue
// service has it too, it may live on.
func (s *State) finish(slot uint32) {
	t := s.tubeFor(slot)
	t.deletes++
	if t.service == nil || !t.service.jobFinished(s, slot) {
		s.end(slot)
	}
}

// end ends a job that is in no place.
func (s *State) end(slot uint32) {
	s.logDelete(slot)
	s.forget(slot)
}

// endForAll ends a job for all groups, whatever state it is in.
func (s *State) endForAll(slot uint32) {
	if j := s.job(slot); j.state() != Passed { // otherwise it was counted when it passed
		s.tubeOf(j).deletes++
	}
	s.drop(slot)
}

// drop ends a job wherever it is, without counting that as somebody's delete.
func (s *State) drop(slot uint32) {
	s.logDelete(slot)
	s.unplace(slot)
	s.forget(slot)
}

// jobNamed finds a job that beanstalk clients can see, or 0.
func (s *State) jobNamed(id uint64) uint32 {
	slot := s.slotOf(id) // as find does, with a call less
	if slot != 0 && (s.job(slot).state() >= Passed || s.interred(slot)) {
		return 0
	}
	return slot
}

// jobFor finds the job that an operation of a client names, or says why not, and notes whose job it is.
func (s *State) jobFor(b *Batch, op *Op) (slot uint32, _ Status) {
	slot = s.jobNamed(op.ID)
	if slot == 0 {
		return 0, NotFound
	}
	if b.Authorizer != nil && !s.allows(b, op, slot) {
		return 0, Denied
	}
	op.Tube = s.tubeFor(slot).name
	return slot, OK
}

// takeBack takes the job of a release or bury from its holder, and leaves it in
// no place. It finds none if the client does not hold the job.
func (s *State) takeBack(c *Client, op *Op) (slot uint32, _ Status) {
	if slot = s.heldBy(c, op.ID); slot == 0 {
		return 0, NotFound
	}
	if s.logFull() {
		return 0, Failed
	}
	s.unhold(slot)
	j, t := s.at(slot)
	j.pri = op.Pri
	if op.Tube = t.name; t.service != nil {
		t.service.jobRanks(s, slot)
	}
	return slot, OK
}

func (s *State) release(b *Batch, op *Op) Status {
	slot, status := s.takeBack(b.Client, op)
	if slot == 0 {
		return status
	}
	j, t := s.at(slot)
	r := s.rare(j)
	r.delay = op.Delay
	r.Releases++
	if (t.policy != nil || s.extra != nil) && s.comesBack(slot, op.Delay > 0) {
		return OK
	}
	if op.Delay > 0 {
		s.makeDelayed(slot, s.now+op.delay())
		s.logUpdate(slot)
		return OK
	}
	s.putBack(slot)
	return OK
}

// putBack makes a job that is in no place ready, and logs that.
func (s *State) putBack(slot uint32) {
	s.job(slot).setState(Ready)
	s.logUpdate(slot)
	s.makeReady(slot)
}

func (s *State) bury(b *Batch, op *Op) Status {
	slot, status := s.takeBack(b.Client, op)
	if slot != 0 {
		s.lay(slot)
	}
	return status
}

func (s *State) touch(b *Batch, op *Op) Status {
	c := b.Client
	slot := s.heldBy(c, op.ID)
	if slot == 0 {
		return NotFound
	}
	j, t := s.at(slot)
	op.Tube = t.name
	if j.ttr == 0 {
		return OK
	}
	r, ttr := s.rare(j), s.ttrOf(slot)
	if op.Options != nil {
		ttr = op.Options.TTR
	}
	r.key = s.now + ttr
	c.ttrs.Update(s.jobPos, s.jobPos.Get(slot), deadlineKey(r.key, j.id(), slot))
	s.holders.Schedule(c.slot, c.soonest())
	return OK
}

// kick brings jobs of the used tube back: buried ones if there are any when
// it starts, otherwise delayed ones.
func (s *State) kick(b *Batch, op *Op) Status {
	const buriedOnes, delayedOnes = 1, 2
	t := b.Client.used
	if op.phase == 0 {
		op.phase = delayedOnes
		if t.buried.N > 0 {
			op.phase = buriedOnes
		}
	}
	for ; op.Count < op.Limit; op.Count++ {
		if op.phase == buriedOnes && t.buried.N == 0 || op.phase == delayedOnes && t.delayed.N == 0 {
			return OK
		}
		if !s.step(moving) {
			return More
		}
		slot := t.buried.Head
		if op.phase == delayedOnes {
			slot = t.delayed.Top().Slot
		}
		s.kickOne(slot)
	}
	return OK
}

func (s *State) kickJob(b *Batch, op *Op) Status {
	slot, status := s.jobFor(b, op)
	if slot == 0 {
		return status
	}
	if st := s.job(slot).state(); st != Buried && st != Delayed {
		return NotFound
	}
	s.kickOne(slot)
	return OK
}

func (s *State) kickOne(slot uint32) {
	s.unplace(slot)
	s.rareOf(s.job(slot)).Kicks++
	s.putBack(slot)
}

// peek shows a job without touching it.
func (s *State) peek(b *Batch, op *Op) (status Status) {
	var slot uint32
	switch op.Kind {
	case Peek:
		if slot, status = s.jobFor(b, op); slot == 0 {
			return status
		}
	case PeekReady:
		if t := b.Client.used; t.ready.N > 0 {
			slot = t.ready.Top().Slot
		}
	case PeekDelayed:
		if t := b.Client.used; t.delayed.N > 0 {
			slot = t.delayed.Top().Slot
		}
	case PeekBuried:
		slot = b.Client.used.buried.Head
	}
	if slot == 0 {
		return NotFound
	}
	s.show(b, op, slot)
	return OK
}

// show puts a job's id and body into the answer. A body that is away is to be
// fetched before the answer leaves.
func (s *State) show(b *Batch, op *Op, slot uint32) {
	j := s.job(slot)
	op.ID, op.Size, op.Parts = j.id(), j.size, nil
	b.volume += int(j.size)
	if b.lacking = j.away(); b.lacking {
		return
	}
	var small []byte
	small, op.Parts = s.bodies.Get(j.body, j.size)
	op.From = uint32(len(b.Bytes))
	b.Bytes = append(b.Bytes, small...)
}
