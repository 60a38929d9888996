package queue

// A policy may limit how many jobs of a tube are reserved at a time (MaxReserved), and how many are handed
// out per second (Rate). A tube that has reached a limit is shut, as a paused one is: a reserve finds nothing
// there, and waits or takes a job of another tube. It opens again when a job is no longer reserved, or
// when time has passed, and those who wait are served first (pause.go).
//
// The rate is exact. What is handed out is a debt, which time pays off. It is counted in
// billionths of a job, divided by the rate, so that no number has to be rounded: a job
// is a billion, and a nanosecond pays off Rate. The next job may go while the debt leaves
// room for it below Burst jobs. What a client takes by its id is counted, and not held back.
//
// If the clock wakes late, and somebody has waited, what was missed is made up for: the debt falls below zero
// then. It does so until it is zero again, for a tenth of a second at most, or until the tube is empty.
// So a few clients that always come back get the rate, although none of them waits while they are away.

// rateLimit is what a tube with a rate has handed out.
type rateLimit struct {
	debt    int64
	since   int64 // when it was so high
	opens   int64 // when the next job may go; 0 if it may now
	late    int64 // when the tube opened too late for somebody who waited; 0 if that has been made up for
	lingers bool  // the tube would have ended, but for its debt
}

// tenth is how long it takes until what is missed is lost.
const tenth = second / 10

// burst is how many jobs may go at once.
func (p *Policy) burst() int64 {
	if p.Burst > 0 {
		return int64(p.Burst)
	}
	return int64(p.Rate)
}

// paidOff is when the debt is down to so much.
func (r *rateLimit) paidOff(p *Policy, to int64) int64 {
	rate := int64(p.Rate)
	return r.since + (max(0, r.debt-to)+rate-1)/rate
}

// pay brings the debt up to date.
func (r *rateLimit) pay(p *Policy, now int64) {
	if now-r.late > tenth {
		r.late = 0
	}
	least := int64(0)
	if r.late != 0 { // a tenth of a second after the next job could have gone
		least = min(0, (p.burst()-1)*second-tenth*int64(p.Rate))
	}
	if now >= r.paidOff(p, least) {
		r.debt = least
	} else {
		r.debt -= (now - r.since) * int64(p.Rate)
	}
	r.since = now
}

// missNothing ends the making up for what was missed.
func (r *rateLimit) missNothing() { r.late, r.debt = 0, max(0, r.debt) }

// due is when the rate limit needs attention; 0 if never.
func (p *policing) due() int64 {
	switch {
	case p.opens != 0:
		return p.opens
	case p.lingers:
		return p.paidOff(p.Policy, 0)
	}
	return 0
}

// throttled says that the tube's policy lets no job go just now.
func (t *tube) throttled() bool {
	p := t.policy
	return p != nil && (p.opens != 0 || p.MaxReserved > 0 && t.reserved >= p.MaxReserved)
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
		after := p.rateLimit
		after.pay(p.Policy, now)
		most = uint32(min(int64(most), max(0, (p.burst()*second-after.debt)/second)))
	}
	return most
}

// handOut counts a job that somebody has got.
func (s *State) handOut(now int64, t *tube) {
	if p := t.policy; p.Rate > 0 {
		p.pay(p.Policy, now)
		if p.debt += second; p.debt >= 0 {
			p.late = 0
		}
		if most := (p.burst() - 1) * second; p.debt > most {
			if p.opens == 0 {
				s.did(t, ActionPace)
			}
			p.opens = p.paidOff(p.Policy, most)
		}
		s.retime(t)
	}
	if t.policy.MaxReserved > 0 && t.reserved == t.policy.MaxReserved {
		s.did(t, ActionFill)
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
func (s *State) serveRate(now int64, t *tube) {
	p := t.policy
	if due := p.opens; due != 0 {
		p.opens = 0
		if s.openThrottled(t); now > due && (t.opening || t.service != nil && t.service.seeks()) {
			p.late = now
		}
		p.pay(p.Policy, now)
		s.retime(t)
		return
	}
	p.pay(p.Policy, now)
	p.lingers = false
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
func (s *State) policeRate(t *tube, old *Policy) {
	if p := t.policy; p != nil && (old == nil || old.Rate != p.Rate || old.burst() != p.burst()) {
		p.rateLimit = rateLimit{}
	}
	s.retime(t)
	if t.opening {
		s.reopen(t)
	} else {
		s.openThrottled(t)
	}
}

// lingers keeps a tube that would end while it has a debt. If it began anew with the next job,
// workers that come for one job each would be given more than the rate.
func (s *State) lingers(t *tube) bool {
	p := t.policy
	if p == nil || p.Rate == 0 || p.debt <= 0 {
		return false
	}
	p.lingers = true
	s.retime(t)
	return true
}
