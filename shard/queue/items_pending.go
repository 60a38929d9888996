package queue

import "beanfield/shard/queue/cells"

// What is pending at the consumers of a group. In the first group, that is what their clients hold; a view has a
// pending for each. Whoever commits, refuses, leaves, is too slow or connects again need not know which it is.

// pendingAt is the consumer of a group that has a job; nil if none of them has it.
func (s *State) pendingAt(g *group, slot uint32) *consumer {
	if w := g.view; w != nil {
		if ref := w.pendingOf(slot); ref != 0 {
			return s.clients.Get(s.pendings.At(ref).consumer).consumer
		}
	} else if s.job(slot).state() == Reserved {
		if c := s.holderOf(slot).consumer; c != nil && c.group == g {
			return c
		}
	}
	return nil
}

// undelivered says whether an item is yet to be delivered to a group; nil stands for a group that there is not.
func (s *State) undelivered(g *group, slot uint32) bool {
	if g != nil && g.view != nil {
		return g.view.undelivered(slot)
	}
	return s.job(slot).state() == Ready
}

// returnsOf is how often a job was taken back from consumers of a group.
func (s *State) returnsOf(g *group, slot uint32) int {
	if g.view != nil {
		return int(g.view.returned[slot])
	}
	if it := s.itemAt(slot); it != nil {
		return int(it.rebalances)
	}
	return 0
}

// firstHeld is the job that a consumer has had longest, and heldAfter the one that it was sent after another; 0
// if there is none.
func (s *State) firstHeld(c *consumer) uint32 {
	if c.group.view != nil {
		return s.pendings.At(c.has.Head).job
	}
	return c.client.held.Head
}

func (s *State) heldAfter(c *consumer, slot uint32) uint32 {
	if w := c.group.view; w != nil {
		return s.pendings.At(s.ownLinks(w.pendingOf(slot)).Next).job
	}
	return s.linksOf(slot).Next
}

// doneWith notes that a group is done with a job that is pending at one of its consumers, or undelivered.
func (s *State) doneWith(g *group, slot uint32) {
	if g.view != nil {
		s.viewEnds(g.view, slot)
		return
	}
	s.unplace(slot)
	s.finish(slot)
}

// returned takes back a job with which a consumer has not dealt, and counts that. Others get it, unless it
// is a dead letter.
func (s *State) returned(g *group, slot uint32) {
	if g.view != nil {
		s.viewReturns(g.view, slot)
		return
	}
	s.unhold(slot)
	s.rebalance(slot)
}

// offerAgain does so without counting.
func (s *State) offerAgain(g *group, slot uint32) {
	if w := g.view; w != nil {
		s.viewUnpend(w, w.pendingOf(slot))
		w.offer(s, slot)
		return
	}
	s.unhold(slot)
	s.makeReady(slot)
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

// viewReturns takes back a job that a consumer of a view has not dealt with. Others get
// it, unless it is a dead letter: then the view is done with it.
func (s *State) viewReturns(w *view, slot uint32) {
	w.count(slot, 1)
	l := w.group.service.limits
	dead, roomy := s.tooOften(w.returned[slot], l.MaxDelivery)
	if dead {
		it := s.itemOf(slot)
		it.fated, it.fate = true, l.DeadLetter
		s.viewEnds(w, slot)
		return
	}
	if roomy {
		s.logUpdate(slot)
	}
	ref := w.pendingOf(slot)
	w.offer(s, slot) // before viewUnpend: others are called before the consumer that had it
	s.viewUnpend(w, ref)
}

// viewHold makes an undelivered job of the view pending at a consumer.
func (s *State) viewHold(w *view, c *consumer, slot uint32) {
	ref := s.pendings.Alloc()
	*s.pendings.At(ref) = pending{job: slot, consumer: c.client.slot, at: s.now}
	c.has.Push(ref, s.ownLinks(ref), s.ownLinks(c.has.Tail))
	w.take(slot)
	w.group.pending++
	w.send(s, ref)
	w.places.Set(slot, viewPending|ref)
	s.retimeView(w)
}

// viewUnpend takes a job from the consumer at which it is pending.
func (s *State) viewUnpend(w *view, ref uint32) {
	p := s.pendings.At(ref)
	c := s.clients.Get(p.consumer).consumer
	if c.again == p.job {
		c.again = s.pendings.At(p.own.Next).job // the job itself may be offered already, and not pending any more
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
	s.idling.Schedule(w.slot, at)
}

// tickViews takes back what has been pending for too long.
func (s *State) tickViews() {
	for s.idling.Due(s.now) && s.step(moving) {
		w := s.views.Get(s.idling.Top().Slot)
		slot := s.pendings.At(w.sent.Head).job
		s.standBack(s.pendingAt(w.group, slot))
		s.viewReturns(w, slot)
	}
}

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
