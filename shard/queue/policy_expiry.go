package queue

import (
	"slices"

	"beanfield/shard/queue/cells"
	"beanfield/shard/queue/policy"
	"beanfield/storage"
)

// A policy may say how old a job may get. One that is older is deleted, unless somebody holds
// it: then it is when it comes back. A tube with such a policy ranks its jobs by age, and stands in
// a timeline of its own by its oldest one.
//
// With ExpireReady, a job's age is how long it has been ready, so only ready jobs are ranked. The job's rare fields
// (job.go) has the moment when it became ready. A job that was never delayed, reserved or buried has no rare
// fields: it has been ready since its put, also if it was moved to another tube. The moment is not logged. So after
// a restart, or if the tube gets such a policy later, the time of a job with rare fields begins anew: no job is
// deleted before its time.

// expires is when a job is too old, on the clock of the queue; never 0.
func (s *State) expires(p *policy.Policy, created int64) int64 {
	return max(1, created-s.Epoch+p.Expire)
}

// outdated says that a job is too old.
func (s *State) outdated(slot uint32) bool {
	j := s.job(slot)
	if t := s.optionsOf(slot); t != nil && t.expires != 0 && t.expires <= s.now {
		return true
	}
	p := s.tubeOf(j).policy
	return p != nil && p.Expire > 0 && !p.ExpireReady && s.expires(p.Policy, j.created()) <= s.now
}

// countsAge says whether the ages of jobs in a state count.
func (p *policing) countsAge(in JobState) bool {
	return in == Ready || !p.ExpireReady && (in == Delayed || in == Buried)
}

// ageKey is the key of a job in the ranking by age.
func (s *State) ageKey(p *policy.Policy, slot uint32) cells.Entry {
	j := s.job(slot)
	if p.ExpireReady {
		return cells.Entry{Major: uint64(max(0, s.readySince(j))), Minor: j.idLow, Slot: slot}
	}
	return putKey(j, slot)
}

// hasPast says that a job has been something else than ready, as far as the log would know.
func (s *State) hasPast(j *job) bool {
	if j.rare == 0 {
		return false
	}
	t := s.rare(j)
	return t.delay > 0 || t.Counters != (storage.Counters{})
}

// waitsFromNow begins the time of a job that was ready before its tube had its policy, if nobody knows since when.
func (s *State) waitsFromNow(t *tube, slot uint32) {
	j := s.job(slot)
	if t.policy.ExpireReady && !t.isAging() && j.state() == Ready && s.hasPast(j) && s.rare(j).key == 0 {
		s.rare(j).key = s.now + s.Epoch
	}
}

// policeAges makes what a tube needs to know which of its jobs is the oldest, or forgets it.
func (s *State) policeAges(t *tube) {
	switch p := t.policy; {
	case p.Expire > 0 && p.ages == nil:
		p.ages = &cells.Ranking{}
		s.policies.expiring.Cover(t.slot)
		s.rankLater(t)
	case p.Expire == 0:
		s.forgetAges(t)
	case p.ages != nil:
		s.retimeAges(t)
	}
}

// forgetAges forgets what a tube knows of its jobs' ages.
func (s *State) forgetAges(t *tube) {
	if t.policy.ages != nil {
		s.policies.expiring.Schedule(t.slot, 0)
		t.policy.ages = nil
	}
}

// retimeAges moves a tube to when its oldest job is too old.
func (s *State) retimeAges(t *tube) {
	var at int64
	if h := t.policy.ages; h.N > 0 {
		at = s.expires(t.policy.Policy, int64(h.Top().Major)*millisecond)
	}
	s.policies.expiring.Schedule(t.slot, at)
}

// serveAges deletes jobs that are too old.
func (s *State) serveAges() {
	for s.policies.expiring.Due(s.now) && s.step(ending) {
		t := s.tubeAt.Get(s.policies.expiring.Top().Slot)
		s.age(t.policy.ages.Top().Slot)
	}
}

// age deletes a job that is too old, or has it go where dead letters go. One that cannot go there is deleted.
func (s *State) age(slot uint32) {
	if t := s.tubeFor(slot); !t.movesExpired() {
		s.did(t, policy.ActionExpire)
		s.drop(slot)
		return
	}
	s.unplace(slot)
	s.grownOld(slot)
}

// movesExpired says that jobs of the tube that are too old go where dead letters go.
func (t *tube) movesExpired() bool { return t.policy != nil && t.policy.MovesExpired() }

// hasAgedIn says whether a job has gone from a tube because of its age. Policies of a file and of run time may
// make a circle, in which it would go round for ever.
func (s *State) hasAgedIn(slot uint32, tube string) bool {
	return slices.ContainsFunc(s.TracesOf(slot), func(t Trace) bool { return t.Why == ForAge && t.From == tube })
}

// grownOld does with a job that is too old, and in no place, what its tube's policy says.
func (s *State) grownOld(slot uint32) {
	t := s.tubeFor(slot)
	s.did(t, policy.ActionExpire)
	switch {
	case !t.movesExpired():
	case t.service != nil && t.service.jobDies(s, slot, policy.FateTube):
		return
	case s.logFull():
	default:
		s.outlive(slot)
		if !s.hasAgedIn(slot, s.deadTube(t)) && s.send(slot, ForAge) {
			s.dead++
			return
		}
	}
	s.end(slot)
}
