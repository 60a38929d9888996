package queue

import "beanfield/storage"

// Restore puts a job back that the log has replayed. Buried jobs must come in
// the order of their rank. Restored must be called after the last one.
func (s *State) Restore(now int64, r *storage.Job, body []byte) {
	t := s.tubeNamed([]byte(r.Tube))
	slot := s.jobs.Alloc()
	s.jobPos.Cover(slot)
	t.newest = max(t.newest, r.ID)
	j := s.jobs.At(slot)
	*j = newJob(r.ID, r.Created, t.slot)
	j.size, j.pri, j.ttr = r.Size, r.Pri, r.TTR
	t.gains(j)
	if r.Updated {
		j.place |= flagUpdated
	}
	if r.Damaged {
		j.place |= flagAway // who tries again is to read it from the log
		s.outside += int64(j.size)
	} else {
		s.keepBody(slot, body, nil)
	}
	if s.restored {
		s.index.insert(&s.jobs, slot)
	} else {
		s.index.postpone(&s.jobs, slot)
	}
	s.restoreItem(slot, r.Item)
	if t.service != nil {
		t.service.jobBorn(s, slot)
	}
	if r.Delay|r.Reserves|r.Timeouts|r.Releases|r.Buries|r.Kicks != 0 {
		tr := s.trailOf(j)
		tr.delay = r.Delay
		tr.reserves, tr.timeouts, tr.releases, tr.buries, tr.kicks = r.Reserves, r.Timeouts, r.Releases, r.Buries, r.Kicks
	}
	switch {
	case r.Damaged && r.State != storage.Buried:
		s.makeBuried(slot)
	case r.State == storage.Delayed:
		// A delay may have ended before this shard's clock begins.
		s.makeDelayed(slot, max(1, r.Deadline-s.Epoch))
	case r.State == storage.Buried:
		s.makeBuried(slot)
		s.buryRank = max(s.buryRank, r.BuryRank)
		s.trails.At(s.jobs.At(slot).trail).key = int64(r.BuryRank)
	case r.State == storage.Passed:
		s.restorePassed(slot)
	default:
		s.makeReady(now, slot)
	}
	if t.service != nil && r.State != storage.Delayed {
		t.service.jobJoins(s, slot)
	}
	if r.Damaged {
		s.markQuarantined(slot)
	}
}

// Restored ends the replay, during which nobody looks for a job by its id: there are no
// clients yet. Jobs may still be restored, or discarded.
func (s *State) Restored() {
	s.index.file(&s.jobs)
	s.restored = true
}

// Discard takes back what was restored of a job, before there are clients. It says whether the job was there.
func (s *State) Discard(id uint64) bool {
	slot := s.index.find(&s.jobs, id)
	if slot == 0 {
		return false
	}
	s.discarding = true
	s.unplace(slot)
	s.forget(slot)
	s.discarding = false
	s.Gone = s.Gone[:0] // the directory is not told: whoever restores jobs sees to that
	return true
}
