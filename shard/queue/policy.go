package queue

import (
	"beanfield/shard/queue/cells"
	"beanfield/shard/queue/policy"
)

// policing is what a tube has that a policy covers: the policy, and what that needs to know of
// the tube. For all other tubes it costs one look at a nil pointer.
type policing struct {
	*policy.Policy
	rate     policy.RateLimit
	step     int64          // milliseconds: the Aging by which its ready jobs are in order (policy_age.go)
	victims  *cells.Ranking // the ready jobs, in the order in which they are dropped; nil if none ever is
	ages     *cells.Ranking // the ready, delayed and buried jobs by age; nil if none gets too old
	needs    uint32         // the pass over all jobs that fills the rankings; see policies
	counters policy.Counters
}

// policies is what a State has for policies.
//
// A tube learns its policy when it is made. A reload may bring policies for tubes that have
// jobs already. It is taken in in shares: first all tubes are asked again, and then one pass
// goes through the records of all jobs, and ranks those whose tubes need that. Until a pass is
// over, what needs a ranking ends with More.
type policies struct {
	of       func(tube string) *policy.Policy // nil if there are none
	tube     uint32                           // the next to be asked again; 0 if all have been
	job      uint32                           // the next record to look at; 0 if there is no pass
	passes   uint32                           // that are over
	wanted   uint32                           // the last that some tube needs
	victims  cells.Positions                  // of jobs in these rankings
	ages     cells.Positions                  // likewise
	expiring cells.Timeline                   // tubes by when their oldest job is too old
}

// SetPolicies brings other policies for all tubes. It is called between two turns.
func (s *State) SetPolicies(of func(tube string) *policy.Policy) {
	if of == nil && s.policies.of == nil {
		return
	}
	s.policies.of, s.policies.tube, s.policies.job = of, 1, 0 // a pass that is under way begins anew
}

// SetQuota has the jobs of this shard, those that are there and those that come, count for a quota; nil for none.
// It is called between two turns.
func (s *State) SetQuota(q policy.Quota) {
	switch {
	case q == s.quota:
		return
	case s.quota != nil:
		s.quota.Add(s.amount().Neg())
		s.quota.Wait(-s.inLines())
	}
	if s.quota = q; q != nil {
		q.Add(s.amount())
		q.Wait(s.inLines())
	}
	s.RoomAgain()
}

// StartPolicies brings policies that hold from the replay on, which is still to come: no tube exists
// but the pinned one.
func (s *State) StartPolicies(of func(tube string) *policy.Policy) {
	s.policies.of = of
	if t := s.tubes[s.Pinned]; t != nil {
		s.police(t, s.policyOf(t.name))
	}
}

// policyOf is the policy for a tube; nil if there is none.
func (s *State) policyOf(name string) *policy.Policy {
	if s.policies.of == nil {
		return nil
	}
	return s.policies.of(name)
}

// police gives a tube a policy, or takes it away.
func (s *State) police(t *tube, p *policy.Policy) {
	if p == nil && t.isAging() && t.ready.N > rekeyMost {
		p = &policy.Policy{} // its order stays
	}
	var old *policy.Policy
	switch {
	case p == nil && t.policy == nil:
		return
	case p == nil:
		s.forgetAges(t)
		t.policy.Policy = &policy.Policy{}
		s.policeAging(t)
		t.policy = nil
		s.policeRate(t, nil)
		return
	case t.policy == nil:
		t.policy = &policing{Policy: p}
	case *t.policy.Policy == *p:
		return // with all that it knows
	default:
		old, t.policy.Policy = t.policy.Policy, p
	}
	if v := t.policy.victims; p.Full == policy.FullRefuse {
		t.policy.victims = nil
	} else if v == nil || old != nil && old.Full != p.Full {
		t.policy.victims = &cells.Ranking{}
		s.rankLater(t)
	}
	s.policeAging(t)
	if old != nil && old.ExpireReady != p.ExpireReady {
		s.forgetAges(t)
	}
	s.policeAges(t)
	s.policeRate(t, old)
}

// rankLater has the jobs that a tube has already ranked by the next pass.
func (s *State) rankLater(t *tube) {
	if t.jobs() > 0 {
		t.policy.needs = s.policies.passes + 1
		s.policies.wanted = t.policy.needs
	}
}

// ranked says that the rankings of a tube have all of its jobs.
func (s *State) ranked(t *tube) bool { return s.policies.passes >= t.policy.needs }

// revising says that policies are still to be taken in.
func (s *State) revising() bool { return s.policies.tube|s.policies.job != 0 }

// revise goes on taking in policies that a reload has brought.
func (s *State) revise() {
	for p := &s.policies; p.tube != 0 && !s.spent(); {
		if p.tube >= s.tubeAt.N {
			if p.tube = 0; p.wanted > p.passes {
				p.job = 1 // slot 0 is no job
			}
			break
		}
		s.spend(summing)
		if t := s.tubeAt.Get(p.tube); t != nil && !t.gone {
			s.police(t, s.policyOf(t.name))
			s.letGo(t)
		}
		p.tube++
	}
	if p := &s.policies; p.job != 0 && !s.spent() {
		p.job = s.records(p.job, func(slot uint32) bool {
			if t := s.tubeFor(slot); t.policy != nil && !s.ranked(t) {
				s.spend(moving / 2)
				s.waitsFromNow(t, slot)
				s.rank(t, slot)
			}
			return true
		})
		if p.job == 0 {
			p.passes++
		}
	}
}

// did counts an action for a tube.
func (s *State) did(t *tube, a policy.Action) {
	s.counters[a]++
	if t.policy != nil {
		t.policy.counters[a]++
	}
}

// The rankings of a tube that a policy covers: which ready jobs go first when it is full, and which of its jobs are the
// oldest. Tubes without such a policy pay nothing.

// victimKey is the key of a ready job among those that may be dropped.
func victimKey(f policy.Full, j *job, slot uint32) cells.Entry {
	if f == policy.FullOldest {
		return putKey(j, slot)
	}
	e := readyKey(j.pri, j.id(), slot)
	return cells.Entry{Major: ^e.Major, Minor: ^e.Minor, Slot: slot}
}

// putKey orders jobs by when they were put. Ids alone would not do: a put whose body takes long
// to come has an early id, and a clock may have been set back before a restart.
func putKey(j *job, slot uint32) cells.Entry {
	return cells.Entry{Major: uint64(j.created() / millisecond), Minor: j.idLow, Slot: slot}
}

// rank is told of a job that is in one of the tube's places.
func (s *State) rank(t *tube, slot uint32) {
	if t.policy != nil {
		s.rankIn(t, slot)
	}
}

func (s *State) rankIn(t *tube, slot uint32) {
	j := s.job(slot)
	if v := t.policy.victims; v != nil && j.state() == Ready {
		v.Add(&s.policies.victims, victimKey(t.policy.Full, j, slot), j.size)
	}
	if a := t.policy.ages; a != nil && t.policy.countsAge(j.state()) {
		a.Add(&s.policies.ages, s.ageKey(t.policy.Policy, slot), j.size)
		s.retimeAges(t)
	}
}

// unrank is told of a job that leaves its place.
func (s *State) unrank(t *tube, slot uint32) {
	if t.policy != nil {
		s.unrankIn(t, slot)
	}
}

func (s *State) unrankIn(t *tube, slot uint32) {
	j := s.job(slot)
	if v := t.policy.victims; v != nil && j.state() == Ready {
		v.Drop(&s.policies.victims, slot, j.size)
	}
	if a := t.policy.ages; a != nil {
		a.Drop(&s.policies.ages, slot, j.size)
		s.retimeAges(t)
	}
}

// A policy may limit how many jobs of a tube are reserved at a time (MaxReserved), and how many are handed
// out per second (Rate). A tube that has reached a limit is shut, as a paused one is: a reserve finds nothing
// there, and waits or takes a job of another tube. It opens again when a job is no longer reserved, or
// when time has passed, and those who wait are served first (tube.go).

// due is when the rate needs attention; 0 if never.
func (p *policing) due() int64 { return p.rate.Due(p.Policy) }

// throttled says that the tube's policy lets no job go just now.
func (t *tube) throttled() bool {
	p := t.policy
	return p != nil && (p.rate.Shut() || p.MaxReserved > 0 && t.reserved >= p.MaxReserved)
}

// left is how many jobs of the tube may go at once, at most so many.
func (t *tube) left(now int64, most uint32) uint32 {
	p := t.policy
	if p == nil {
		return most
	}
	if p.MaxReserved > 0 {
		most = uint32(min(int64(most), max(0, int64(p.MaxReserved-t.reserved))))
	}
	if p.Rate > 0 {
		most = uint32(min(int64(most), p.rate.Left(p.Policy, now)))
	}
	return most
}

// handOut counts a job that somebody has got.
func (s *State) handOut(t *tube) {
	if p := t.policy; p.Rate > 0 {
		if p.rate.Take(p.Policy, s.now) {
			s.did(t, policy.ActionPace)
		}
		s.retime(t)
	}
	if t.policy.MaxReserved > 0 && t.reserved == t.policy.MaxReserved {
		s.did(t, policy.ActionFill)
	}
	if t.opening {
		s.reopen(t)
	}
}

// handIn counts a job that is no longer reserved.
func (s *State) handIn(t *tube) {
	if t.reserved == t.policy.MaxReserved-1 {
		s.openThrottled(t)
	}
}

// serveRate does what is due for a tube's rate limit.
func (s *State) serveRate(t *tube) {
	p := t.policy
	if due := p.rate.Open(); due != 0 {
		s.openThrottled(t)
		p.rate.Opened(p.Policy, s.now, s.now > due && (t.opening || t.service != nil && t.service.seeks()))
		s.retime(t)
		return
	}
	p.rate.Leave(p.Policy, s.now)
	s.retime(t)
	s.letGo(t)
}

// openThrottled opens a tube that its policy may have shut: those who wait are served first.
func (s *State) openThrottled(t *tube) {
	if !t.paused() && !t.opening && !t.throttled() {
		t.opening = true
		s.reopen(t)
	}
}

// policeRate follows a change of a tube's policy; old is the one before, or nil.
func (s *State) policeRate(t *tube, old *policy.Policy) {
	if p := t.policy; p != nil && (old == nil || !old.SameRate(p.Policy)) {
		p.rate = policy.RateLimit{}
	}
	s.retime(t)
	if t.opening {
		s.reopen(t)
	} else {
		s.openThrottled(t)
	}
}

// lingers keeps a tube that would end, while its policy needs it.
func (s *State) lingers(t *tube) bool {
	p := t.policy
	if p == nil || !p.rate.Linger(p.Policy) {
		return false
	}
	s.retime(t)
	return true
}
