package queue

// truncate ends the jobs of a tube that are ready, delayed or buried when it comes, or are in some of these states.
// Mostly it does that at once (bulk_purge.go), and if there are few it ends them one by one in one turn. Otherwise
// that takes several turns: ids grow, so those that are put meanwhile are above the newest id of that moment, and
// stay.
//
// The jobs are found by going through the records of the shard: a job stays in the record that it has. The
// few last ones are found through the tube.

// How a truncate finds jobs (Op.phase). Op.Ticket is the last id that it ends, and Op.ID how far it
// has come with records or items.
const (
	inTube    = iota + 1
	inRecords // all of the shard
	inItems   // in the item index of a queue
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
		op.Tube, op.Ticket, op.phase = t.name, t.newest, inTube
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
	return t.countOf(States(op.Limit)) < usualPurge
}

// endUpTo ends as many jobs as a turn can. It reports false if there are more.
func (s *State) endUpTo(t *tube, op *Op) bool {
	if t.service != nil {
		if op.phase != inItems {
			op.phase, op.ID = inItems, 0
		}
		return t.service.truncate(s, op)
	}
	if t.few(op) {
		for _, slot := range s.idle(t, op.ends, nil) {
			s.endOld(slot, op)
		}
		return true
	}
	if op.phase != inRecords {
		op.phase, op.ID = inRecords, 1 // slot 0 is no job
	}
	op.ID = uint64(s.records(uint32(op.ID), func(slot uint32) bool {
		j := s.job(slot)
		if j.tube() == t.slot && j.state() != Reserved && !j.onItsWay() && op.ends(j.state()) {
			s.endOld(slot, op)
		}
		return true
	}))
	return op.ID == 0
}

// endOld ends a job if it was there when the operation came.
func (s *State) endOld(slot uint32, op *Op) {
	if s.job(slot).id() > op.Ticket {
		s.spend(looking)
		return
	}
	s.spend(ending)
	s.endForAll(slot)
	op.Count++
}
