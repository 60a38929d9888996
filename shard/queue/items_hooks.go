package queue

import (
	"cmp"
	"slices"

	"beanfield/shard/queue/cells"
	"beanfield/shard/queue/policy"
)

// The hooks: what the queue, below, calls of items. A tube that the queue service has never
// touched has no service, and a client that is no consumer's has no consumer: for them, a hook
// costs a look at a nil pointer. The queue knows hardly anything else of items.

// nextOut is the item that a full queue drops for another one; 0 if it is not full, or must not drop any, or
// somebody has all of its oldest.
func (v *service) nextOut(s *State) (slot uint32, _ Status) {
	switch {
	case v.limits.MaxLength == 0 || s.countOfPair(v) < v.limits.MaxLength:
		return 0, OK
	case !v.limits.AutoEvict:
		return 0, NoRoom
	case !s.whole(v):
		return 0, More
	}
	if slot = s.oldestLoose(v); slot == 0 {
		return 0, NoRoom
	}
	return slot, OK
}

// itemReady is the rest of makeReady for a tube that has a service. The job may have a waiter
// then, and may even have ended.
func (s *State) itemReady(t *tube, slot uint32, sought []*tagIndex) {
	v, id := t.service, s.job(slot).id()
	v.jobJoins(s, slot)
	if t.waiters.Head != nil || t.byMany > 0 || sought != nil {
		s.match(t, sought)
	}
	v.jobReady(s, id)
}

// jobReady is told of each job that has become ready, after the waiters have been
// served: one of them may have the job now, and it may even have ended.
func (v *service) jobReady(s *State, id uint64) {
	if v.index.gets.busy() {
		v.index.gets.shown(s, id)
	}
	if len(v.filtered) > 0 {
		v.show(s, id)
	}
}

// jobJoins shows a job that becomes ready to the views.
func (v *service) jobJoins(s *State, slot uint32) {
	for _, w := range v.views {
		if w.wants(s, slot) {
			w.enter(s, slot)
		}
	}
}

// jobRanks is told when a job has got another priority.
func (v *service) jobRanks(s *State, slot uint32) {
	j := s.job(slot)
	for _, w := range v.views {
		if !w.emptied && w.undelivered(slot) {
			w.heap.Update(w.places, w.where(slot), readyKey(j.pri, j.id(), slot))
		}
	}
}

// jobFinished is told when the first group is done with a job, which is in no place. It
// reports false if the job is to end, as jobs do: no view is still to be done with it, and no
// group has made it a dead letter.
func (v *service) jobFinished(s *State, slot uint32) bool {
	if v.wanted(slot) {
		s.makePassed(slot)
		s.logUpdate(slot)
		return true
	}
	return s.meetFate(slot)
}

// jobDies is told of a dead letter of the first group, or of one whose fate a view has
// decided. If a view is not done with it, its fate is only noted, and jobDies reports true.
func (v *service) jobDies(s *State, slot uint32, f policy.Fate) bool {
	it := s.itemOf(slot)
	it.fated, it.fate = v.wanted(slot), f // another group may have decided it before
	if it.fated {
		s.makePassed(slot)
		s.logUpdate(slot)
	}
	return it.fated
}

// truncate ends the items up to an index, whoever of the consumers has them. What workers
// have is not touched. It reports false if it must go on in another turn.
func (v *service) truncate(s *State, op *Op) bool {
	if !s.whole(v) {
		return false
	}
	return v.walk(s, &op.Several.at, looking, func(slot uint32) bool {
		if s.job(slot).id() > op.Several.last {
			return false
		}
		if st := s.job(slot).state(); op.States.Has(st) && (st != Reserved || s.holderOf(slot).consumer != nil) {
			s.endOld(slot, op)
		}
		return true
	})
}

// itemMoves is told of a job that goes to another tube.
func (s *State) itemMoves(slot uint32) {
	it := s.itemOf(slot)
	it.moved, it.rebalances = true, 0
}

// jobGone is told of each job that leaves the tube, while it still has all that it had.
func (v *service) jobGone(s *State, slot uint32) {
	for _, w := range v.views {
		s.viewForgets(w, slot)
	}
	v.index.remove(s, slot)
	s.lessen(v)
}

// mostRefiled is how many places of items, in the queue's order and in views, a purge looks at or makes anew.
const mostRefiled = 4 * Slice

// purges says that the items of the queue can end at once, if so many are spared. Passed ones are in no place of
// their tube that could be taken over.
func (v *service) purges(spared int) bool {
	places := spared * (1 + len(v.views))
	for _, w := range v.views {
		if places += w.group.pending; w.dropping {
			return false
		}
	}
	return v.passed == 0 && v.dropping == 0 && places <= mostRefiled
}

// holds says that consumers of the first group hold jobs, which only a truncate of the queue ends.
func (v *service) holds() bool { return v.first != nil && v.first.pending > 0 }

// few says that to end all items is little work.
func (v *service) few() bool {
	return v.index.cursor == 0 && v.tube.length()*(1+len(v.views)) < usualPurge
}

// jobsInterred is told that jobs of the tube have ended at once, all but some.
func (v *service) jobsInterred(s *State, left []uint32) {
	s.spend(indexing * len(left) * (1 + len(v.views)))
	for _, w := range v.views {
		s.viewKeeps(w, left)
	}
	x := v.index
	x.order, x.requests, x.cursor = order{jobs: &s.jobs}, nil, 0
	slices.SortFunc(left, func(a, b uint32) int { return cmp.Compare(s.job(a).id(), s.job(b).id()) })
	for _, slot := range left {
		if s.job(slot).state() != Arriving {
			x.add(s, slot)
		}
	}
	s.lessen(v)
}

// tubeOpened is told when the pause of a tube has ended and its waiters have been served.
func (v *service) tubeOpened(s *State) {
	for _, c := range v.filtered {
		s.spend(looking)
		s.wake(c)
	}
}

// seeks says that a filtered consumer goes on looking for items as soon as the tube is open.
func (v *service) seeks() bool {
	return slices.ContainsFunc(v.filtered, func(c *consumer) bool { return c.look != lookedAll && c.room() })
}

// matters says that a tube must not end even if it has no job, user or watcher (S5).
func (v *service) matters() bool {
	return v.kept() || v.dropping > 0 || v.passed > 0 || v.index.gets.busy()
}

// consumerExpires takes back a job that a consumer has had for too long. It may well be stuck
// there, so others are to get it.
func (s *State) consumerExpires(c *consumer, slot uint32) {
	s.standBack(c)
	s.timeOut(slot)
	s.itemOf(slot).avoid = c.number
	s.rebalance(slot)
}

// serveConsumer gives the tube's best job to a consumer that has left the line for it.
func (s *State) serveConsumer(c *consumer, t *tube) {
	s.push(c, t.ready.Top().Slot)
	switch {
	case !c.room():
	case t.offers():
		s.wake(c)
	default:
		s.wait(&c.client, 0)
	}
}

// restorePassed puts back a job that the first group was done with, and a view was not. If
// no view has it, the log has lost the queue's record, and nobody knows who is to get the
// job: it is buried, so that somebody may look at it, and kick or delete it.
func (s *State) restorePassed(slot uint32) {
	v := s.tubeFor(slot).service
	if v != nil {
		v.jobJoins(s, slot)
	}
	if v == nil || !v.wanted(slot) {
		s.makeBuried(slot)
		return
	}
	s.makePassed(slot)
}

// unpend is told of each job that a consumer of the first group is about to lose.
func (s *State) unpend(c *consumer, slot uint32) {
	c.group.pending--
	if c.again == slot {
		c.again = s.heldAfter(c, slot)
	}
	s.wake(c)
}

// jobHas says whether a job has all of some tags.
func (s *State) jobHas(slot uint32, want Tags) bool { return s.tagsOf(slot).Has(want) }

// title is what a consumer is called, and its connection; nil if it has left.
func (c *consumer) title() (name string, to any) {
	name = c.group.name + "." + c.user
	if c.to == nil {
		return name, nil
	}
	return name, c.to
}

// feeding says that there is something for feed to do.
func (s *State) feeding() bool { return s.withRoom.N > 0 || len(s.ending)+len(s.parting) > 0 }

// soonestConsumer is the next time at which a consumer has had items of a view for too long,
// or one that has left needs attention; 0 if there is none.
func (s *State) soonestConsumer() int64 {
	at := cells.Sooner(s.leaving.Soonest(), s.idling.Soonest())
	if c := s.departed.First(); c != nil {
		at = cells.Sooner(at, s.forgetAt(c))
	}
	return at
}

// tickConsumers ends a turn for the consumers: what is due is taken back from them, in at
// most half a share, and those that have room are fed.
func (s *State) tickConsumers() {
	if !s.feeding() && s.leaving.N == 0 && s.departed.N == 0 && s.idling.N == 0 {
		return
	}
	s.share = (s.Share + 1) / 2
	s.tickLeavers()
	s.tickViews()
	s.lend((s.Share + 1) / 2)
	s.feed()
}

// figures adds what the metrics tell of a queue.
func (v *service) figures(f *TubeFigures) {
	f.Queue = true
	if v.first != nil {
		f.add(v.first)
	}
	for _, w := range v.views {
		f.add(w.group)
	}
}

func (s *State) unpass(slot uint32) {
	s.tubeFor(slot).service.passed--
}
