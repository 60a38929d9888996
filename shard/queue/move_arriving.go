package queue

import "beanfield/storage"

// applyMoving runs the operations of those who take jobs to other shards.
func (s *State) applyMoving(b *Batch, op *Op) {
	switch op.Kind {
	case Load:
		s.loadLeaving(b, op)
	case Arrive:
		s.arrive(b, op)
	case Depart:
		s.departOne(op)
	case Show:
		s.showArrived(op)
	case ComeHome:
		s.comeHome(op)
	}
}

// arrive puts a copy of a job that comes from another shard. Nobody sees it before Show. What a tube refuses
// to clients, it refuses here: NoRoom.
func (s *State) arrive(b *Batch, op *Op) {
	p := &b.Parcels[op.From]
	switch op.phase {
	case noPlace:
		op.Status = NoRoom
		return
	case lost:
		op.Status = Failed
		return
	}
	if s.spent() {
		op.Status = More
		return
	}
	s.spend(moving)
	op.ID, op.Size, op.Tube = p.Job.Key(), p.Job.Size, p.Job.Tube
	if slot := s.slotOf(p.Job.ID); slot != 0 {
		if op.Status = Failed; s.keyOf(slot) == op.ID {
			op.Status = OK // from before a restart
		}
		return
	}
	t := s.tubeNamed([]byte(p.Job.Tube))
	t.using++
	s.arriveIn(t, op, p)
	t.using--
	s.letGo(t)
}

func (s *State) arriveIn(t *tube, op *Op, p *Parcel) {
	op.Status = s.admits(t, op.Size, p.Cause)
	switch {
	case op.Status == More:
		return
	case op.Status == NoRoom:
		if op.Count = 1; op.phase == staged {
			s.record = p.Job
			s.Log.Put(&s.record)
			s.Log.Delete(&s.record)
		}
		return
	case s.Durable && op.phase != staged && !s.Log.Room(int(op.Size)):
		op.Status = NoRoom
		return
	case s.Durable && op.phase != staged && op.Size > storage.LargeBody:
		op.Status, op.Parts = Staging, p.Body
		return
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
	s.tubeOf(s.job(slot)).transit--
}

// showArrived makes a job visible, when no other copy of it is left.
func (s *State) showArrived(op *Op) {
	slot := s.travelling(op, Arriving, moving)
	if slot == 0 {
		return
	}
	j, y := s.job(slot), s.routeAt(slot)
	t := s.tubeOf(j)
	s.unarrive(slot)
	s.unheld(slot)
	t.total++
	if t.service != nil {
		t.service.jobBorn(s, slot)
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
		return
	}
	s.seen(slot)
}
