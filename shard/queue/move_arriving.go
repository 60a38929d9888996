package queue

import "beanfield/storage"

// arrive puts a copy of a job that comes from another shard. Nobody sees it before Show. What a tube refuses
// to clients, it refuses here.
func (s *State) arrive(b *Batch, op *Op) Status {
	p := &b.Parcels[op.From]
	if op.phase == unstaged {
		return op.Status
	}
	if !s.step(moving) {
		return More
	}
	op.ID, op.Size, op.Tube = p.Job.Key(), p.Job.Size, p.Job.Tube
	if slot := s.slotOf(p.Job.ID); slot != 0 {
		if s.keyOf(slot) == op.ID {
			return OK // from before a restart
		}
		return Failed
	}
	t := s.tubeNamed([]byte(p.Job.Tube))
	t.using++
	status := s.arriveIn(t, op, p)
	t.using--
	s.letGo(t)
	return status
}

func (s *State) arriveIn(t *tube, op *Op, p *Parcel) Status {
	switch status := s.admits(t, op.Size, p.Cause); {
	case status == NoRoom:
		if op.phase == staged {
			s.logNothing(p.Job)
		}
		return TooLong
	case status != OK:
		return status
	case s.Durable && op.phase != staged && !s.Log.Room(int(op.Size)):
		return NoRoom
	case s.Durable && op.phase != staged && op.Size > storage.LargeBody:
		op.Parts = p.Body
		return Staging
	}
	slot := s.settleIn(t, &p.Job)
	s.keepBody(slot, s.overBudget(op.Size), nil, p.Body)
	s.enters(slot)
	s.index.insert(&s.jobs, slot)
	s.restoreOptions(slot, p.Job.Item)
	y, tr := s.routeOf(slot), s.rareOf(s.job(slot))
	switch p.Job.State {
	case storage.Delayed:
		y.will, tr.key = Delayed, max(1, p.Job.Deadline-s.Epoch)
	case storage.Buried:
		s.buryRank++
		y.will, tr.key = Buried, int64(s.buryRank)
	default:
		y.will = Ready
	}
	s.makeArriving(slot)
	if s.Durable {
		op.Parts = p.Body
		s.logPut(slot, op)
	}
	op.Parts = nil
	return OK
}

// settleIn makes the record of a job that comes with a past, in no place and without its body.
func (s *State) settleIn(t *tube, r *storage.Job) (slot uint32) {
	slot = s.newRecord(t, r)
	j := s.job(slot)
	t.gains(j)
	if r.Delay|r.Reserves|r.Timeouts|r.Releases|r.Buries|r.Kicks != 0 {
		tr := s.rareOf(j)
		tr.delay = r.Delay
		tr.reserves, tr.timeouts, tr.releases, tr.buries, tr.kicks = r.Reserves, r.Timeouts, r.Releases, r.Buries,
			r.Kicks
	}
	return slot
}

// newRecord makes that record, which counts for no tube.
func (s *State) newRecord(t *tube, r *storage.Job) (slot uint32) {
	slot = s.jobs.Alloc()
	s.jobPos.Cover(slot)
	t.newest = max(t.newest, r.ID)
	j := s.job(slot)
	*j = newJob(r.ID, r.Created, t.slot)
	j.size, j.pri, j.ttr = r.Size, r.Pri, r.TTR
	if r.Updated {
		j.place |= flagUpdated
	}
	return slot
}

func (s *State) makeArriving(slot uint32) {
	j := s.job(slot)
	s.tubeOf(j).transit++
	j.setState(Arriving)
	s.listAppend(&s.travel.arriving, slot)
}

// unarrive takes a job out of those that arrive, and leaves it in no place.
func (s *State) unarrive(slot uint32) {
	s.listRemove(&s.travel.arriving, slot)
	s.tubeFor(slot).transit--
}

// showArrived makes a job visible, when no other copy of it is left.
func (s *State) showArrived(_ *Batch, op *Op) Status {
	slot, status := s.travelling(op, Arriving, moving)
	if slot == 0 {
		return status
	}
	j, y := s.job(slot), s.routeAt(slot)
	t := s.tubeOf(j)
	s.unarrive(slot)
	s.unheld(slot)
	t.total++
	if t.service != nil {
		t.service.index.add(s, slot)
	}
	key := s.rareOf(j).key
	s.rare(j).key = 0
	switch y.will {
	case Delayed:
		s.makeDelayed(slot, key)
	case Buried:
		s.makeBuried(slot)
		if s.rare(j).key != key {
			s.logUpdate(slot) // others were buried before it
		}
	default:
		s.makeReady(slot)
		return OK
	}
	s.seen(slot)
	return OK
}
