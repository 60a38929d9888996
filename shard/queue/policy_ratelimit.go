package queue

import "beanfield/shard/queue/policy"

// A policy may limit how many jobs of a tube are reserved at a time (MaxReserved), and how many are handed
// out per second (Rate). A tube that has reached a limit is shut, as a paused one is: a reserve finds nothing
// there, and waits or takes a job of another tube. It opens again when a job is no longer reserved, or
// when time has passed, and those who wait are served first (tube.go).
//

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
