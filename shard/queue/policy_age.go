package queue

import (
	"slices"

	"beanfield/shard/queue/cells"
	"beanfield/shard/queue/policy"
	"beanfield/storage"
)

// A policy may let the jobs of a tube rise while they wait: each Aging that a job has been ready
// makes its priority smaller by one, until it is 0. What clients are shown, and what is urgent, stays
// the priority that the job was put or released with.
//
// All jobs of the tube rise as fast, so their order never changes, and each has a key for good:
// its priority in steps of time, plus when it became ready. Only between tubes, and shards, it matters
// how far a job has aged by now (head). A job is ready since its put, or since it last became
// ready, which its rare fields have; after a restart, since its put, because that is not logged.
//
// A reload re-keys a tube with few ready jobs at once. One with more keeps its order until it has been
// empty for a moment: there may be millions.

// rekeyMost is how many ready jobs are re-keyed at once.
const rekeyMost = 4096

// isAging says that the tube's jobs rise while they wait.
func (t *tube) isAging() bool { return t.policy != nil && t.policy.step > 0 }

// readySince is when a ready job became so, as a date in milliseconds.
func (s *State) readySince(j *job) int64 {
	if j.rare != 0 {
		if since := s.rare(j).key; since != 0 {
			return since / millisecond
		}
	}
	return j.created() / millisecond
}

// placeKey is the key of a ready job in its tube's heap.
func (s *State) placeKey(t *tube, slot uint32) cells.Entry {
	j := s.job(slot)
	if !t.isAging() {
		return readyKey(j.pri, j.id(), slot)
	}
	return cells.Entry{Major: uint64(j.pri)*uint64(t.policy.step) + uint64(max(0, s.readySince(j))), Minor: j.idLow,
		Slot: slot}
}

// readyByPolicy begins a job's waiting in a tube that a policy covers, and finds its place there.
func (s *State) readyByPolicy(t *tube, slot uint32) cells.Entry {
	if t.ready.N == 0 {
		s.takeStep(t)
		t.policy.rate.MissNothing()
	}
	j, since := s.job(slot), int64(0)
	if t.isAging() && !s.restoring || t.policy.ExpireReady && s.hasPast(j) {
		since = s.now + s.Epoch
	}
	if j.rare != 0 && (t.isAging() || t.policy.ExpireReady) {
		s.rare(j).key = since
	}
	s.rank(t, slot)
	return s.placeKey(t, slot)
}

// takeStep lets a tube whose heap is empty follow its policy.
func (s *State) takeStep(t *tube) { t.policy.step = t.policy.Aging / millisecond }

// policeAging follows a change of a tube's policy. policeRate comes after it, and sees to a tube that is opening.
func (s *State) policeAging(t *tube) {
	if t.policy.step == t.policy.Aging/millisecond || t.ready.N > rekeyMost {
		return
	}
	slots := make([]uint32, t.ready.N)
	for i := range slots {
		slots[i] = t.ready.At(uint32(i)).Slot
	}
	s.spend(moving / 4 * len(slots))
	s.takeStep(t)
	t.ready = cells.Heap{}
	for _, slot := range slots {
		t.ready.Push(s.jobPos, s.placeKey(t, slot))
	}
	s.reorderTagIndexes(t)
}

// agedPri is the priority that a ready job has by now.
func (s *State) agedPri(t *tube, slot uint32) uint32 {
	j := s.job(slot)
	if !t.isAging() {
		return j.pri
	}
	steps := max(0, (s.now+s.Epoch)/millisecond-s.readySince(j)) / t.policy.step
	return uint32(max(0, int64(j.pri)-steps))
}

// head is the best job of a tube that has one, as it compares with those of other tubes.
func (s *State) head(t *tube) cells.Entry {
	e := t.ready.Top()
	if t.policy == nil || t.policy.step == 0 {
		return e
	}
	return s.compared(t, e.Slot)
}

// compared is a ready job as it compares with those of other tubes.
func (s *State) compared(t *tube, slot uint32) cells.Entry {
	return readyKey(s.agedPri(t, slot), s.job(slot).id(), slot)
}

// within says that a claim may take the best job of a tube. Jobs that rise keep their order, also
// when several have come to the same priority: then their ids say nothing.
func (s *State) within(v *Several, c *Client, t *tube) bool {
	worst, at := v.worst(), s.standing(c, t)
	if t.isAging() {
		at.top = readyKey(uint32(at.top.Major>>32), 0, 0)
	}
	return !worst.before(at)
}

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
