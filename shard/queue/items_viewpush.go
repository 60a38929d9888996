package queue

import "beanfield/shard/queue/cells"

// What a view sends to its consumers. Those that have room, and for which there is no
// job, wait in the view's line. A job that becomes undelivered calls the first of them,
// which then goes through State.withRoom like all consumers. While there are undelivered
// jobs and the line is not empty, one of the view's consumers is called (V3).

func (c *consumer) links() *cells.Links[*consumer] {
	if c == nil {
		return nil
	}
	return &c.inLine
}

// lined says that the consumer waits in its view's line.
func (c *consumer) lined() bool { return c.group.view != nil && c.group.view.line.Has(c, &c.inLine) }

// leaveLine takes a consumer of a view out of its line.
func (s *State) leaveLine(c *consumer) {
	if c.lined() {
		c.group.view.line.Remove(&c.inLine, c.inLine.Prev.links(), c.inLine.Next.links())
	}
}

// callLine calls the first consumer of the line, if there is a job for it.
func (s *State) callLine(w *view) {
	if c := w.line.Head; c != nil && w.heap.N > 0 && !w.group.service.tube.paused() {
		s.leaveLine(c)
		s.wake(c)
	}
}

// callLines does the same for all views of a tube whose pause has ended.
func (v *service) callLines(s *State) {
	for _, w := range v.views {
		s.callLine(w)
	}
}

// feedView sends a consumer of a view one item, or lets it wait for one.
func (s *State) feedView(c *consumer) {
	w := c.group.view
	defer s.callLine(w) // whatever becomes of this consumer
	switch {
	case c.to == nil:
		s.departIdle(c)
	case !c.listens():
	case c.group.service.ended && s.tells(c):
	case c.again != 0:
		s.resendView(c)
		s.wake(c)
	case !c.room() || c.lined():
	case w.heap.N > 0 && !w.group.service.tube.paused():
		s.pushView(w, c)
		s.wake(c)
	default:
		w.line.Push(c, &c.inLine, w.line.Tail.links())
	}
}

// pushView sends a consumer the view's best job.
func (s *State) pushView(w *view, c *consumer) {
	slot := w.heap.Top().Slot
	w.take(slot)
	w.group.delivered++
	s.viewHold(w, c, slot)
	away := s.load(c, slot)
	last := &c.batch.Items[len(c.batch.Items)-1]
	last.Delivery = 1 + int(w.returned[slot])
	if c.autoCommit && !away {
		s.viewEnds(w, slot)
	}
}

// resendView sends a new connection the next of the items that were pending before, or
// gives it back if the consumer's window is smaller now.
func (s *State) resendView(c *consumer) {
	w := c.group.view
	p := s.pendings.At(c.again)
	slot := p.job
	if !c.autoCommit && c.resent >= c.window {
		s.viewUnpend(w, c.again)
		w.offer(s, slot)
		return
	}
	c.resent++
	p.at = s.now
	w.unsend(s, c.again)
	w.send(s, c.again)
	s.retimeView(w)
	c.again = p.own.Next
	away := s.load(c, slot)
	last := &c.batch.Items[len(c.batch.Items)-1]
	last.Delivery = 1 + int(w.returned[slot])
	if c.autoCommit && !away {
		s.viewEnds(w, slot)
	}
}

// viewHold makes a job of the view pending at a consumer.
func (s *State) viewHold(w *view, c *consumer, slot uint32) {
	ref := s.pendings.Alloc()
	*s.pendings.At(ref) = pending{job: slot, consumer: c.client.slot, at: s.now}
	c.has.Push(ref, s.ownLinks(ref), s.ownLinks(c.has.Tail))
	w.group.pending++
	w.send(s, ref)
	w.places.Set(slot, viewPending|ref)
	s.retimeView(w)
}

// viewUnpend takes a job from the consumer at which it is pending.
func (s *State) viewUnpend(w *view, ref uint32) {
	p := s.pendings.At(ref)
	c := s.clients.Get(p.consumer).consumer
	if c.again == ref {
		c.again = p.own.Next
	}
	c.has.Remove(&p.own, s.ownLinks(p.own.Prev), s.ownLinks(p.own.Next))
	w.group.pending--
	w.unsend(s, ref)
	s.pendings.Release(ref)
	s.retimeView(w)
	s.wake(c)
}

// ownLinks and allLinks are a pending's in its consumer's list and in its view's. Those of
// slot 0, which is no pending, are links that nobody uses.
func (s *State) ownLinks(ref uint32) *cells.Links[uint32] { return &s.pendings.At(ref).own }
func (s *State) allLinks(ref uint32) *cells.Links[uint32] { return &s.pendings.At(ref).all }

// send appends a pending to the view's.
func (w *view) send(s *State, ref uint32) { w.sent.Push(ref, s.allLinks(ref), s.allLinks(w.sent.Tail)) }

// unsend removes it.
func (w *view) unsend(s *State, ref uint32) {
	k := s.allLinks(ref)
	w.sent.Remove(k, s.allLinks(k.Prev), s.allLinks(k.Next))
}

// retimeView notes when the oldest of a view's pendings will have been idle too long.
func (s *State) retimeView(w *view) {
	var at int64
	if idle := w.group.service.limits.MaxIdle; idle > 0 && w.sent.Head != 0 {
		at = s.pendings.At(w.sent.Head).at + idle
	}
	s.idling.Schedule(s.idlePos, w.slot, at)
}

// retimeViews does so for all views of a queue, because MaxIdle has changed.
func (s *State) retimeViews(v *service) {
	for _, w := range v.views {
		s.retimeView(w)
	}
}

// tickViews takes back what has been pending for too long.
func (s *State) tickViews() {
	for !s.spent() && s.idling.Due(s.now) {
		s.spend(moving)
		w := s.views.Get(s.idling.Top().Slot)
		p := s.pendings.At(w.sent.Head)
		c := s.clients.Get(p.consumer).consumer
		s.standBack(c)
		s.viewReturns(w, p.job)
		s.wake(c)
	}
}

// viewCommits notes that a view is done with a job, if the view has it: the same rule as
// askCommit's.
func (s *State) viewCommits(w *view, slot uint32) {
	if w.open(slot) {
		s.viewEnds(w, slot)
	}
}

// viewRefuses gives back a job that a consumer cannot process.
func (s *State) viewRefuses(c *consumer, slot uint32, a *Ask) {
	w := c.group.view
	ref := w.pendingOf(slot)
	if ref == 0 || s.pendings.At(ref).consumer != c.client.slot {
		return
	}
	s.setNote(slot, a.Code, a.Reason)
	s.viewReturns(w, slot)
}

// viewFetched goes on with a consumer whose delivery batch has its bodies now. An item that nobody
// can read is buried, for beanstalk clients to see, and the view is done with it.
func (s *State) viewFetched(f *fetched) {
	c := f.consumer
	w := c.group.view
	has := func(id uint64) (slot uint32, ok bool) {
		slot = s.slotOf(id)
		if slot == 0 {
			return 0, false
		}
		ref := w.pendingOf(slot)
		return slot, ref != 0 && s.pendings.At(ref).consumer == c.client.slot
	}
	for _, id := range f.lost {
		if slot, ok := has(id); ok {
			if s.job(slot).state() == Passed {
				s.unpass(slot)
				s.makeBuried(slot)
				s.markQuarantined(slot)
				s.logQuarantine(slot)
			} else {
				s.quarantine(nil, &Op{ID: id})
			}
			s.viewEnds(w, slot)
		}
	}
	if c.to == nil || c.to != f.to {
		return
	}
	c.fetching = false
	s.wake(c)
	if !c.autoCommit {
		return
	}
	for _, id := range f.read {
		if slot, ok := has(id); ok {
			s.viewEnds(w, slot)
		}
	}
}
