package shard

import "beanfield/storage"

// What the log is told (L1): put, delete, and every change of state,
// priority, delay or counters that must outlive the process.

func (s *State) logPut(slot uint32, data []byte, parts [][]byte) {
	s.describe(slot)
	if s.record.Size > storage.LargeBody {
		s.log.Put(&s.record) // its body is staged
		return
	}
	if len(parts) == 0 {
		s.part[0] = data
		parts = s.part[:] // a slice made for the call would be garbage
	}
	s.log.Put(&s.record, parts...)
	s.part[0] = nil
}

func (s *State) logUpdate(slot uint32) {
	if s.durable {
		s.describe(slot)
		s.log.Update(&s.record)
		s.jobs.at(slot).place |= flagUpdated
	}
}

func (s *State) logDelete(slot uint32) {
	if s.durable {
		s.describe(slot)
		s.log.Delete(&s.record)
	}
}

// describe fills the scratch record from a job.
func (s *State) describe(slot uint32) {
	j := s.jobs.at(slot)
	s.record = storage.Job{
		ID: j.id(), Tube: s.tubeAt[j.tube()].name, State: storage.Ready,
		Pri: j.pri, TTR: j.ttr, Size: j.size, Created: j.created(),
		Updated: j.updated(),
	}
	if j.trail == 0 {
		return
	}
	t := s.trails.at(j.trail)
	r := &s.record
	r.Delay = t.delay
	r.Reserves, r.Timeouts, r.Releases, r.Buries, r.Kicks = t.reserves, t.timeouts, t.releases, t.buries, t.kicks
	switch j.state() {
	case Delayed:
		r.State, r.Deadline = storage.Delayed, t.key+s.epoch
	case Buried:
		r.State, r.BuryRank = storage.Buried, uint64(t.key)
	}
}

// Restore puts a job back that the log has replayed. Buried jobs must come in
// the order of their rank.
func (s *State) Restore(now int64, r *storage.Job, body []byte) {
	t := s.tubeNamed([]byte(r.Tube))
	slot := s.jobs.alloc()
	s.jobPos.cover(slot)
	j := s.jobs.at(slot)
	*j = newJob(r.ID, r.Created, t.slot)
	j.size, j.pri, j.ttr = r.Size, r.Pri, r.TTR
	if r.Updated {
		j.place |= flagUpdated
	}
	s.keepBody(slot, body, nil)
	s.index.insert(&s.jobs, slot)
	if r.Delay|r.Reserves|r.Timeouts|r.Releases|r.Buries|r.Kicks != 0 {
		tr := s.trailOf(j)
		tr.delay = r.Delay
		tr.reserves, tr.timeouts, tr.releases, tr.buries, tr.kicks = r.Reserves, r.Timeouts, r.Releases, r.Buries, r.Kicks
	}
	switch r.State {
	case storage.Delayed:
		// A delay may have ended before this shard's clock begins.
		s.makeDelayed(slot, max(1, r.Deadline-s.epoch))
	case storage.Buried:
		s.makeBuried(slot)
		s.buryRank = max(s.buryRank, r.BuryRank)
		s.trails.at(s.jobs.at(slot).trail).key = int64(r.BuryRank)
	default:
		s.makeReady(now, slot)
	}
}
