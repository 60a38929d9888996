package queue

import "beanfield/shard/queue/cells"

// truncate ends the jobs of a tube that are ready, delayed or buried when it comes, or are in some of these states.
// Mostly it does that at once (bulk_purge.go), and if there are few it ends them one by one in one turn. Otherwise
// that takes several turns: ids grow, so those that are put meanwhile are above the newest id of that moment, and
// stay.
//
// Mostly the tube's own containers are the quickest way to the jobs. The new ones lie among the old
// there, in any order, and whatever happens between two turns moves entries about. So each turn
// begins at the ends again, and the jobs have all been found when one turn goes through everything
// that is left. If so many new ones have come that a turn mostly looks at those, the rest is found
// by going through the records of the shard: a job stays in the record that it has.

// How a truncate finds jobs (Op.phase). Op.Ticket is the last id that it ends, and Op.ID how far it
// has come with records or items.
const (
	inPlaces  = iota + 1 // in the tube's heaps and its list
	inRecords            // in all records of the shard
	inItems              // in the item index of a queue
)

// ends says whether a truncate ends jobs in a state.
func (op *Op) ends(st JobState) bool { return States(op.Limit).Has(st) }

func (s *State) truncate(op *Op) {
	if op.phase == 0 {
		t := s.tubes[string(op.Data)]
		if t == nil {
			op.Status = NotFound
			return
		}
		op.Tube, op.Ticket, op.phase = t.name, t.newest, inPlaces
		if s.purge(t, op) && (t.service == nil || !t.service.holds()) {
			return
		}
	}
	op.Status = OK
	t := s.tubes[op.Tube]
	if t == nil {
		return // its last job has gone since the last turn
	}
	t.using++
	var done bool
	if t.few(op) {
		s.atOnce(func() { done = s.endUpTo(t, op) })
	} else {
		done = s.endUpTo(t, op)
	}
	if done {
		op.ID = 0
	} else {
		op.Status = More
	}
	t.using--
	s.letGo(t)
}

// few says that a truncate has so little left to do that one turn can do it. So the log has all of it or nothing.
func (t *tube) few(op *Op) bool {
	if t.service != nil {
		return t.service.few()
	}
	return op.phase == inPlaces && t.countOf(States(op.Limit)) < usualPurge
}

// endUpTo ends as many jobs as a turn can. It reports false if there are more.
func (s *State) endUpTo(t *tube, op *Op) bool {
	if t.service != nil {
		if op.phase != inItems {
			op.phase, op.ID = inItems, 0
		}
		return t.service.truncate(s, op)
	}
	if op.phase == inPlaces {
		share, before := s.share, op.Count
		if s.endOfHeap(Ready, &t.ready, op) && s.endOfHeap(Delayed, &t.delayed, op) && s.endBuried(t, op) {
			return true
		}
		if ended := int(op.Count-before) * ending; 2*ended > share-s.share {
			return false
		}
		op.phase, op.ID = inRecords, 1 // slot 0 is no job
	}
	return s.endInRecords(t, op)
}

// endOfHeap ends jobs from the end of a heap on. What takes the place of one is either a job that
// was looked at, or from before that place, and looked at next.
func (s *State) endOfHeap(of JobState, h *cells.Heap, op *Op) bool {
	if !op.ends(of) {
		return true
	}
	for i := h.N; i > 0; i = min(i, h.N) {
		if s.spent() {
			return false
		}
		if !s.endOld(h.At(i-1).Slot, op) {
			i--
		}
	}
	return true
}

// endBuried ends jobs in the order in which they were buried: those that were there come first.
func (s *State) endBuried(t *tube, op *Op) bool {
	for t.buried.N > 0 && op.ends(Buried) {
		if s.spent() {
			return false
		}
		if !s.endOld(t.buried.Head, op) {
			break
		}
	}
	return true
}

func (s *State) endInRecords(t *tube, op *Op) bool {
	for {
		slot := uint32(op.ID)
		ci := int(slot >> cells.ChunkShift)
		switch {
		case ci >= s.jobs.Chunks():
			return true
		case s.spent():
			return false
		case !s.jobs.Backed(ci):
			s.spend(looking)
			op.ID = uint64(ci+1) << cells.ChunkShift
			continue
		case slot%passing == 0:
			s.spend(looking)
		}
		if j := s.job(slot); j.tube() == t.slot && j.state() != Reserved && !j.onItsWay() && op.ends(j.state()) &&
			!s.interred(slot) {
			s.endOld(slot, op)
		}
		op.ID++
	}
}

// endOld ends a job if it was there when the operation came.
func (s *State) endOld(slot uint32, op *Op) bool {
	if s.job(slot).id() > op.Ticket {
		s.spend(looking)
		return false
	}
	s.spend(ending)
	s.endForAll(slot)
	op.Count++
	return true
}
