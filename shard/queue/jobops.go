package queue

// delete ends a job: for the first group only if the client holds it, and for all groups
// if nobody holds it.
func (s *State) delete(b *Batch, op *Op) {
	slot := s.jobFor(b, op)
	if slot == 0 {
		return
	}
	op.Status = NotFound
	j, c := s.job(slot), b.Client
	reserved := j.state() == Reserved
	if reserved && (c == nil || s.rare(j).holder != c.slot) {
		return
	}
	op.Status = OK
	if !reserved {
		op.Count = 1
	}
	if reserved {
		s.unhold(slot)
		s.finish(slot)
		return
	}
	s.endForAll(slot)
}

// finish ends a job, which is in no place, because who had it is done with it. If the queue
// service has it too, it may live on.
func (s *State) finish(slot uint32) {
	t := s.tubeOf(s.job(slot))
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

// jobFor finds the job that an operation of a client names, or answers that it is not there.
func (s *State) jobFor(b *Batch, op *Op) uint32 {
	slot := s.jobNamed(op.ID)
	if slot == 0 {
		op.Status = NotFound
		return 0
	}
	if b.Authorizer != nil && !s.allows(b, op, slot) {
		op.Status = Denied
		return 0
	}
	s.nameTube(op, slot)
	return slot
}

// nameTube notes whose job the operation has found.
func (s *State) nameTube(op *Op, slot uint32) { op.Tube = s.tubeOf(s.job(slot)).name }

// takeBack takes the job of a release or bury from its holder, and leaves it in
// no place. It returns 0 if the client does not hold the job.
func (s *State) takeBack(c *Client, op *Op) (slot uint32) {
	slot = s.heldBy(c, op.ID)
	if slot == 0 {
		op.Status = NotFound
		return 0
	}
	if s.logFull() {
		op.Status = Failed
		return 0
	}
	op.Status = OK
	s.unhold(slot)
	j := s.job(slot)
	j.pri = op.Pri
	t := s.tubeOf(j)
	if op.Tube = t.name; t.service != nil {
		t.service.jobRanks(s, slot)
	}
	return slot
}

func (s *State) release(c *Client, op *Op) {
	slot := s.takeBack(c, op)
	if slot == 0 {
		return
	}
	j := s.job(slot)
	t := s.rare(j)
	t.delay = op.Delay
	t.releases++
	if (s.tubeOf(j).policy != nil || s.extra != nil) && s.comesBack(slot, op.Delay > 0) {
		return
	}
	if op.Delay > 0 {
		s.makeDelayed(slot, s.now+op.delay())
		s.logUpdate(slot)
		return
	}
	j.setState(Ready)
	s.logUpdate(slot)
	s.makeReady(slot)
}

func (s *State) bury(c *Client, op *Op) {
	slot := s.takeBack(c, op)
	if slot == 0 {
		return
	}
	s.rare(s.job(slot)).buries++
	s.makeBuried(slot)
	s.logUpdate(slot)
}

func (s *State) touch(c *Client, op *Op) {
	slot := s.heldBy(c, op.ID)
	if slot == 0 {
		op.Status = NotFound
		return
	}
	op.Status = OK
	s.nameTube(op, slot)
	j := s.job(slot)
	if j.ttr == 0 {
		return
	}
	t := s.rare(j)
	ttr := s.ttrOf(slot)
	if op.Options != nil {
		ttr = op.Options.TTR
	}
	t.key = s.now + ttr
	c.ttrs.Update(s.jobPos, s.jobPos.Get(slot), deadlineKey(t.key, j.id(), slot))
	s.holders.Schedule(c.slot, c.soonest())
}

// kick brings jobs of the used tube back: buried ones if there are any when
// it starts, otherwise delayed ones.
func (s *State) kick(c *Client, op *Op) {
	const buriedOnes, delayedOnes = 1, 2
	t := c.used
	if op.phase == 0 {
		op.phase = delayedOnes
		if t.buried.N > 0 {
			op.phase = buriedOnes
		}
	}
	op.Status = OK
	for op.Count < op.Limit {
		if op.phase == buriedOnes && t.buried.N == 0 || op.phase == delayedOnes && t.delayed.N == 0 {
			return
		}
		if s.spent() {
			op.Status = More
			return
		}
		s.spend(moving)
		slot := t.buried.Head
		if op.phase == delayedOnes {
			slot = t.delayed.Top().Slot
		}
		s.kickOne(slot)
		op.Count++
	}
}

func (s *State) kickJob(b *Batch, op *Op) {
	slot := s.jobFor(b, op)
	if slot == 0 {
		return
	}
	op.Status = NotFound
	if st := s.job(slot).state(); st == Buried || st == Delayed {
		s.kickOne(slot)
		op.Status = OK
	}
}

func (s *State) kickOne(slot uint32) {
	s.unplace(slot)
	j := s.job(slot)
	s.rareOf(j).kicks++
	j.setState(Ready)
	s.logUpdate(slot)
	s.makeReady(slot)
}

// peek shows a job without touching it.
func (s *State) peek(b *Batch, op *Op) {
	var slot uint32
	switch op.Kind {
	case Peek:
		if slot = s.jobFor(b, op); slot == 0 {
			return
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
		op.Status = NotFound
		return
	}
	s.show(b, op, slot)
}

// show puts a job's id and body into the answer. A body that is away is to be
// fetched before the answer leaves.
func (s *State) show(b *Batch, op *Op, slot uint32) {
	j := s.job(slot)
	op.Status, op.ID, op.Size = OK, j.id(), j.size
	b.volume += int(j.size)
	if j.away() {
		b.lacking = true
		op.From, op.To, op.Parts = 0, 0, nil
		return
	}
	small, large := s.bodies.Get(j.body, j.size)
	op.Parts = large
	op.From = uint32(len(b.Bytes))
	b.Bytes = append(b.Bytes, small...)
	op.To = uint32(len(b.Bytes))
}
