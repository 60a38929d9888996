package queue

import "beanfield/storage"

// What the log is told (L1): put, delete, and every change of state,
// priority, delay or counters that must outlive the process.

// logFull says that the log has no room even for updates.
func (s *State) logFull() bool { return s.Durable && !s.Log.RoomToUpdate() }

func (s *State) logPut(slot uint32, op *Op) {
	s.describe(slot)
	if op.Options != nil {
		s.describeKeys(slot, op.Options)
	}
	if s.record.Size > storage.LargeBody {
		s.Log.Put(&s.record) // its body is staged
		return
	}
	parts := op.Parts
	if len(parts) == 0 {
		s.part[0] = op.Data
		parts = s.part[:] // a slice made for the call would be garbage
	}
	s.Log.Put(&s.record, parts...)
	s.part[0] = nil
}

func (s *State) logUpdate(slot uint32) {
	if s.Durable {
		s.describe(slot)
		s.Log.Update(&s.record)
		s.job(slot).place |= flagUpdated
	}
}

// logQuarantine logs a job that has been buried because its body cannot be read.
func (s *State) logQuarantine(slot uint32) {
	if s.Durable {
		s.describe(slot)
		s.Log.Quarantine(&s.record)
		s.job(slot).place |= flagUpdated
	}
}

func (s *State) logDelete(slot uint32) {
	if s.Durable {
		s.describe(slot)
		s.Log.Delete(&s.record)
	}
}

// describe fills the scratch record from a job. One that a client holds is ready in the
// log, because that is what it becomes when the client has gone. So if a view commits a job
// that was reserved by its id, the log forgets that it was delayed or buried before.
func (s *State) describe(slot uint32) {
	j := s.job(slot)
	s.record = storage.Job{
		ID: j.id(), Tube: s.tubeOf(j).name, State: storage.Ready,
		Pri: j.pri, TTR: j.ttr, Size: j.size, Created: j.created(),
		Updated: j.updated(),
	}
	if v := s.tubeOf(j).service; v != nil {
		s.describeDone(v, slot)
	}
	if j.state() == Passed {
		s.record.State = storage.Passed
	}
	if j.rare != 0 {
		s.describeRare(slot)
	}
	if s.extra != nil {
		s.describeOptions(slot)
	}
	if j.place&flagRoute != 0 {
		s.describeRoute(slot)
	}
	if len(s.yard.purging) > 0 {
		s.describeSince(slot)
	}
}

// describeRare fills in what a job has gathered.
func (s *State) describeRare(slot uint32) {
	j := s.job(slot)
	t := s.rare(j)
	if t.item != 0 {
		s.describeItem(t.item)
	}
	r := &s.record
	r.Delay = t.delay
	r.Reserves, r.Timeouts, r.Releases, r.Buries, r.Kicks = t.reserves, t.timeouts, t.releases, t.buries, t.kicks
	state := j.state()
	if j.onItsWay() {
		state = s.routeAt(slot).will
	}
	switch state {
	case Delayed:
		r.State, r.Deadline = storage.Delayed, t.key+s.Epoch
	case Buried:
		r.State, r.BuryRank = storage.Buried, uint64(t.key)
	}
}
