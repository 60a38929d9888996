package queue

import (
	"beanfield/shard/queue/cells"
	"beanfield/storage"
)

// A job goes to a tube of another shard in four steps, which package router takes (router/mover):
//
//	1  leave    here: the job leaves its tube, for good, and is leaving. From now on it is decided.
//	2  arrive   there: a copy is put, which nobody sees yet. It is arriving.
//	3  depart   here: the job is deleted.
//	4  show     there: the copy is the job.
//
// Each step begins when the log is sure to keep the one before. So there is always a copy that the logs keep,
// and nobody can reserve one of two. After a restart the steps go on where they were: see move_arriving.go.

// Parcel is a job on its way to another shard.
type Parcel struct {
	Job    storage.Job // as it will be there; its key is that of the copy
	Body   [][]byte
	Away   bool // the body is still to be read from the log
	Source uint64
	Cause  Cause
	Trip   any // of whoever waits for its end; nil if nobody does, and after a restart
}

// local says whether a tube is in this shard.
func (s *State) local(tube string) bool { return s.Local == nil || s.Local(tube) }

// onItsWay says that only the shards see the job.
func (j *job) onItsWay() bool { return j.state() >= Leaving }

// mayTravel says whether a job can come to another shard once more.
func (s *State) mayTravel(slot uint32) bool {
	y := s.routeAt(slot)
	return y == nil || y.hops < storage.MaxHops
}

// leave has a job, which is in no place, leave for a tube of another shard. There it will be what will says,
// with this deadline if it is delayed.
func (s *State) leave(slot uint32, to string, will JobState, deadline int64, why Cause) {
	j := s.job(slot)
	if why != ForMove { // it may come home
		s.giveUpKeys(slot)
	}
	s.unhouse(slot)
	y := s.routeOf(slot)
	s.setTarget(y, to)
	y.will, y.cause, y.loaded = will, why, false
	s.rareOf(j).key = deadline
	s.makeLeaving(slot)
	if !s.logFull() {
		s.logUpdate(slot) // otherwise it leaves again after a restart
	}
}

func (s *State) makeLeaving(slot uint32) {
	j := s.job(slot)
	j.setState(Leaving)
	s.tubeOf(j).transit++
	s.listAppend(&s.travel.leaving, slot)
	s.Leaves = true
}

// unleave takes a job out of those that leave, and leaves it in no place.
func (s *State) unleave(slot uint32) {
	s.listRemove(s.leavers(slot), slot)
	s.tubeFor(slot).transit--
}

// leavers is the list in which a leaving job is.
func (s *State) leavers(slot uint32) *cells.List[uint32] {
	if s.routeAt(slot).loaded {
		return &s.travel.underway
	}
	return &s.travel.leaving
}

// loadLeaving packs leaving jobs for whoever takes them to their shards: at most op.Limit, and about maxVolume
// bytes of bodies.
func (s *State) loadLeaving(b *Batch, op *Op) Status {
	for op.Count < op.Limit && s.travel.leaving.N > 0 && b.volume < maxVolume {
		if s.spent() && op.Count > 0 {
			break
		}
		s.spend(moving)
		slot := s.travel.leaving.Head
		y := s.routeAt(slot)
		if to := string(s.target(y)); s.local(to) { // since the number of shards has changed
			s.settleHere(slot, to)
			op.Count++
			continue
		}
		s.listRemove(&s.travel.leaving, slot)
		y.loaded = true
		s.listAppend(&s.travel.underway, slot)
		b.Parcels = append(b.Parcels, s.parcel(slot))
		b.volume += int(s.job(slot).size)
		op.Count++
	}
	return OK
}

// parcel makes a parcel of a leaving job.
func (s *State) parcel(slot uint32) Parcel {
	j, y := s.job(slot), s.routeAt(slot)
	s.describe(slot)
	p := Parcel{Job: s.record, Source: s.keyOf(slot), Cause: y.cause, Away: j.away(), Trip: s.travel.trips[slot]}
	delete(s.travel.trips, slot)
	i := s.record.Item.Clone()
	p.Job.Tube, p.Job.Item = i.Route.To, i
	i.Moved, i.Rebalances, i.Fate, i.Done, i.Returned, i.Keys, i.Since = false, 0, 0, nil, nil, nil, 0
	i.Route.Hops++
	i.Route.To, i.Route.Timed = "", false
	p.Job.Updated = false
	if !p.Away {
		small, large := s.bodies.Get(j.body, j.size)
		if p.Body = large; large == nil && len(small) > 0 {
			p.Body = [][]byte{append([]byte(nil), small...)}
		}
	}
	return p
}

// settleHere ends the route of a job whose target is in the same shard.
func (s *State) settleHere(slot uint32, to string) {
	s.unleave(slot)
	j, y := s.job(slot), s.routeAt(slot)
	from := s.tubeOf(j)
	will, deadline := y.will, s.rare(j).key
	s.setTarget(y, "")
	y.home = 0
	s.house(slot, s.tubeNamed([]byte(to)))
	s.unheld(slot)
	s.place(slot, will, deadline)
	s.letGo(from)
}

// departOne ends a job here whose copy is safe in another shard. The directory is not told: the job lives.
func (s *State) departOne(_ *Batch, op *Op) Status {
	slot, status := s.travelling(op, Leaving, ending)
	if slot == 0 {
		return status
	}
	t := s.tubeFor(slot)
	s.logDelete(slot)
	s.unleave(slot)
	s.vanish(slot)
	s.letGo(t)
	return OK
}

// comeHome gives up the route of a job that its target does not take. A dead letter is buried, and
// one that a client has moved goes back to its place; one whose body cannot be read is set aside (batch.go). One that
// is too old ends if its tube is full, as it does in one shard (grownOld); otherwise it tries again later.
func (s *State) comeHome(_ *Batch, op *Op) Status {
	slot, status := s.travelling(op, Leaving, moving)
	if slot == 0 {
		return status
	}
	j, y := s.job(slot), s.routeAt(slot)
	will, deadline := y.will, s.rare(j).key
	if y.home != 0 {
		will, deadline, s.rare(j).delay = y.home, y.homeKey, y.homeDelay
		y.home = 0
	}
	s.listRemove(s.leavers(slot), slot)
	y.loaded = false
	damaged := op.Why == Failed
	if y.cause == ForAge && !damaged && op.Why != TooLong {
		s.listAppend(&s.travel.leaving, slot) // its shard is not told: whoever has brought it back comes again
		return OK
	}
	s.takeHome(slot)
	if !damaged {
		s.untrace(slot)
	}
	switch {
	case y.cause == ForAge:
		s.end(slot)
	case damaged:
		s.buryDamaged(slot)
	case y.cause == ForMove:
		s.place(slot, will, deadline)
	default:
		s.lay(slot)
	}
	return OK
}

// takeHome gives a job that was leaving, and is in no list, back to its tube.
func (s *State) takeHome(slot uint32) {
	j, t := s.at(slot)
	t.transit--
	s.setTarget(s.routeAt(slot), "")
	t.gains(j)
	if !s.hasKeys(slot) {
		s.itemMoves(slot) // the log is not to give them back
	}
	s.unheld(slot)
	s.rare(j).key = 0
	if t.service != nil {
		t.service.index.add(s, slot)
	}
}

// travelling finds a job that is on its way, for a step that costs so much of the turn. If it answers 0, there
// is none, or the turn is over.
func (s *State) travelling(op *Op, state JobState, cost int) (slot uint32, _ Status) {
	if !s.step(cost) {
		return 0, More
	}
	slot = s.slotOf(storage.IDOf(op.ID))
	if slot == 0 || s.job(slot).state() != state || s.keyOf(slot) != op.ID {
		return 0, NotFound
	}
	return slot, OK
}

// place puts a job, which is in no place, where it is to be, and logs that.
func (s *State) place(slot uint32, state JobState, deadline int64) {
	if j := s.job(slot); j.rare != 0 {
		s.rare(j).key = 0
	}
	switch state {
	case Delayed:
		s.makeDelayed(slot, max(1, deadline))
		s.logUpdate(slot)
		s.seen(slot)
	case Buried:
		s.makeBuried(slot)
		s.logUpdate(slot)
		s.seen(slot)
	default:
		s.job(slot).setState(Ready)
		s.logUpdate(slot)
		s.makeReady(slot)
	}
}

// deadTube is the tube that dead letters of another go to; "" if there is none.
func (s *State) deadTube(t *tube) string {
	if t.policy == nil || t.policy.DeadTube == t.name {
		return ""
	}
	return t.policy.DeadTube
}
