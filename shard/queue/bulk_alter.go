package queue

// Altering is what an AlterSeveral operation does to jobs of one tube, each of its list that the filter chooses
// and that nobody holds: it moves them to another tube, or changes what their puts have said. What bodies
// contain is for the asker to look at: he has the list from a Listing, mostly, and jobs that are others by now
// are passed over.
type Altering struct {
	Filter          // Tube: of the jobs
	To     string   // the tube that they go to; "": they stay
	As     JobState // what they are there, Ready, Delayed or Buried; 0: what they were
	Set    Fields   // what is changed, to these
	Pri    uint32
	Delay  int64 // nanoseconds; only of jobs that are ready or delayed, or with As Delayed
	TTR    int64 // nanoseconds
	Trip   any   // Parcel.Trip of those that leave for another shard
}

// Fields are some of what a put says of its job.
type Fields uint8

// The fields.
const (
	FieldPri Fields = 1 << iota
	FieldDelay
	FieldTTR
)

// alter does that to one job, and reports whether it leaves for another shard. NoRoom says that its target is full.
// A damaged job stays where it is: nobody could carry it, and a stay in another tube would hide that.
func (s *State) alter(a *Altering, id uint64) (status Status, leaves bool) {
	slot := s.jobNamed(id)
	switch {
	case slot == 0 || !s.alters(a, slot):
		return NotFound, false
	case s.logFull():
		return Failed, false
	case a.To == "":
		s.change(slot, a)
		return OK, false
	case s.local(a.To):
		return s.moveHere(slot, a), false
	case !s.mayTravel(slot):
		return NotFound, false
	}
	s.moveAway(slot, a)
	return OK, true
}

func (s *State) alters(a *Altering, slot uint32) bool {
	j := s.job(slot)
	if st := j.state(); st == Reserved || st == Buried && a.Set&FieldDelay != 0 || a.To != "" && s.quarantined[slot] {
		return false
	}
	return s.tubeOf(j).name == a.Tube && s.chooses(&a.Filter, slot)
}

// becomes is what a job will be in the tube that it goes to, and its deadline if it is delayed there.
func (s *State) becomes(slot uint32, a *Altering) (will JobState, deadline int64) {
	j := s.job(slot)
	switch {
	case a.As == Delayed:
		s.rareOf(j).delay = wholeSeconds(a.Delay)
		return Delayed, s.now + a.Delay
	case a.As != 0:
		return a.As, 0
	case j.state() == Delayed:
		return Delayed, s.rare(j).key
	}
	return j.state(), 0
}

// moveHere moves a job to a tube of this shard.
func (s *State) moveHere(slot uint32, a *Altering) Status {
	from, to := s.tubeFor(slot), s.tubeNamed([]byte(a.To))
	to.using++
	status := s.admits(to, s.job(slot).size, ForMove)
	if status == OK {
		will, deadline := s.becomes(slot, a)
		s.unplace(slot)
		s.trace(slot, ForMove)
		s.rehouse(slot, to, will, deadline)
	}
	to.using--
	s.letGo(to)
	s.letGo(from)
	return status
}

// moveAway has a job leave for a tube of another shard.
func (s *State) moveAway(slot uint32, a *Altering) {
	if a.As != 0 {
		s.remember(slot)
	}
	will, deadline := s.becomes(slot, a)
	s.unplace(slot)
	s.trace(slot, ForMove)
	if a.Trip != nil {
		s.travel.trips[slot] = a.Trip
	}
	s.leave(slot, a.To, will, deadline, ForMove)
}

// remember notes what a job is that leaves, and is to be something else.
func (s *State) remember(slot uint32) {
	j, y := s.job(slot), s.routeOf(slot)
	y.homeDelay, y.homeKey = 0, 0
	if y.home = j.state(); j.rare != 0 {
		t := s.rare(j)
		y.homeDelay, y.homeKey = t.delay, t.key
	}
}

// change gives a job other fields. A buried one keeps its place among the buried.
func (s *State) change(slot uint32, a *Altering) {
	j, t := s.at(slot)
	will, deadline := s.becomes(slot, a)
	if will == Buried {
		s.unrank(t, slot)
	} else {
		s.unplace(slot)
	}
	if t.isAging() {
		s.rareOf(j) // it waits anew
	}
	if a.Set&FieldPri != 0 {
		j.pri = a.Pri
		if t.service != nil {
			t.service.jobRanks(s, slot)
		}
	}
	if a.Set&FieldTTR != 0 {
		s.changeTTR(slot, a.TTR)
	}
	if a.Set&FieldDelay != 0 {
		s.rareOf(j).delay = wholeSeconds(a.Delay)
		if will = Ready; a.Delay > 0 {
			will, deadline = Delayed, s.now+a.Delay
		}
	}
	if will != Buried {
		s.place(slot, will, deadline)
		return
	}
	s.rank(t, slot)
	s.logUpdate(slot)
}

// changeTTR gives a job another TTR: its route says so, since logs have a TTR of a put only otherwise.
func (s *State) changeTTR(slot uint32, ttr int64) {
	s.job(slot).ttr = wholeSeconds(ttr)
	s.routeOf(slot).timed = true
	if short := shortOf(ttr); short > 0 {
		s.needOptions(slot).short = short
	} else if t := s.optionsOf(slot); t != nil {
		t.short = 0
	}
}

// An operation on several jobs does to each of them, in the order of the list, what the single one
// would do; all of them are one answer. A job that is not there, that the client does not hold or
// has no right on, is passed over. A job that is in the list twice is tried twice: a second delete
// finds nothing. The list may be longer than a turn's share: then others have their turn in its
// middle. The jobs may be in several shards: the router gives each shard those that it owns.

// eachOf is what an operation on several jobs does to each.
var eachOf = map[Kind]Kind{DeleteSeveral: Delete, ReleaseSeveral: Release, BurySeveral: Bury, TouchSeveral: Touch}

// doSeveral goes through the list. What cannot be logged ends it there: what was done
// before stays done.
func (s *State) doSeveral(b *Batch, op *Op) Status {
	v := op.Several
	for first := v.at; v.at < uint64(len(v.IDs)); v.at++ {
		if v.at > first && s.spent() {
			return More
		}
		status, apart := s.doOne(b, op, v.IDs[v.at])
		switch status {
		case OK:
			op.Count++
			if apart {
				v.Apart++
			}
		case Denied, NoRoom:
			v.Refused++
		case Failed, More:
			return status
		}
	}
	v.at = 0
	return OK
}

// doOne does to one job what the operation does to each. apart: nobody held it, or it leaves for another shard.
func (s *State) doOne(b *Batch, op *Op, id uint64) (status Status, apart bool) {
	cost := moving
	if op.Kind == AlterSeveral {
		if status, apart = s.alter(b.Alter, id); status == OK {
			op.Tube = b.Alter.Tube
		}
	} else {
		one := Op{Kind: eachOf[op.Kind], ID: id, Pri: op.Pri, Delay: op.Delay, Options: op.Options}
		switch one.Kind {
		case Delete:
			status, cost = s.delete(b, &one), ending
		case Release:
			status = s.release(b, &one)
		case Bury:
			status = s.bury(b, &one)
		case Touch:
			status = s.touch(b, &one)
		}
		if apart = one.Unheld; status == OK {
			op.Tube = one.Tube
		}
	}
	if status != OK {
		cost = looking
	}
	s.spend(cost)
	return status, apart
}
