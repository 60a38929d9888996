package policy

// The rate is exact. What is handed out is a debt, which time pays off. It is counted in
// billionths of a job, divided by the rate, so that no number has to be rounded: a job
// is a billion, and a nanosecond pays off Rate. The next job may go while the debt leaves
// room for it below Burst jobs. What a client takes by its id is counted, and not held back.
//
// If the clock wakes late, and somebody has waited, what was missed is made up for: the debt falls below zero
// then. It does so until it is zero again, for a tenth of a second at most, or until the tube is empty.
// So a few clients that always come back get the rate, although none of them waits while they are away.

// RateLimit is what a tube with a rate has handed out.
type RateLimit struct {
	debt    int64
	since   int64 // when it was so high
	opens   int64 // when the next job may go; 0 if it may now
	late    int64 // when the tube opened too late for somebody who waited; 0 if that has been made up for
	lingers bool  // the tube would have ended, but for its debt
}

// tenth is how long it takes until what is missed is lost.
const tenth = second / 10

// MostAtOnce is how many jobs may go at once.
func (p *Policy) MostAtOnce() int64 {
	if p.Burst > 0 {
		return int64(p.Burst)
	}
	return int64(p.Rate)
}

// SameRate says that a policy limits the rate as another one does.
func (p *Policy) SameRate(o *Policy) bool {
	return p.Rate == o.Rate && p.MostAtOnce() == o.MostAtOnce()
}

// most is how high the debt may be when the next job goes.
func (p *Policy) most() int64 { return (p.MostAtOnce() - 1) * second }

// paidOff is when the debt is down to so much.
func (r *RateLimit) paidOff(p *Policy, to int64) int64 {
	rate := int64(p.Rate)
	return r.since + (max(0, r.debt-to)+rate-1)/rate
}

// pay brings the debt up to date.
func (r *RateLimit) pay(p *Policy, now int64) {
	if now-r.late > tenth {
		r.late = 0
	}
	least := int64(0)
	if r.late != 0 { // a tenth of a second after the next job could have gone
		least = min(0, p.most()-tenth*int64(p.Rate))
	}
	if now >= r.paidOff(p, least) {
		r.debt = least
	} else {
		r.debt -= (now - r.since) * int64(p.Rate)
	}
	r.since = now
}

// Shut says that no job may go now.
func (r *RateLimit) Shut() bool { return r.opens != 0 }

// Left is how many jobs may go at once.
func (r *RateLimit) Left(p *Policy, now int64) int64 {
	after := *r
	after.pay(p, now)
	return max(0, (p.MostAtOnce()*second-after.debt)/second)
}

// Take counts a job that somebody has got. It reports whether that has shut the tube.
func (r *RateLimit) Take(p *Policy, now int64) (shuts bool) {
	r.pay(p, now)
	if r.debt += second; r.debt >= 0 {
		r.late = 0
	}
	if r.debt > p.most() {
		shuts = r.opens == 0
		r.opens = r.paidOff(p, p.most())
	}
	return shuts
}

// MissNothing ends the making up for what was missed.
func (r *RateLimit) MissNothing() { r.late, r.debt = 0, max(0, r.debt) }

// Due is when the tube opens, or need not linger any more; 0 if never.
func (r *RateLimit) Due(p *Policy) int64 {
	switch {
	case r.opens != 0:
		return r.opens
	case r.lingers:
		return r.paidOff(p, 0)
	}
	return 0
}

// Open lets jobs go that were due to, and reports since when; 0 if the tube was open.
func (r *RateLimit) Open() (due int64) {
	due, r.opens = r.opens, 0
	return due
}

// Opened goes on after Open; somebody may have waited for it too long.
func (r *RateLimit) Opened(p *Policy, now int64, late bool) {
	if late {
		r.late = now
	}
	r.pay(p, now)
}

// Linger keeps a tube that would end while it has a debt. If it began anew with the next job,
// workers that come for one job each would be given more than the rate.
func (r *RateLimit) Linger(p *Policy) bool {
	if p.Rate == 0 || r.debt <= 0 {
		return false
	}
	r.lingers = true
	return true
}

// Lingers says that Linger keeps the tube, and Leave ends that.
func (r *RateLimit) Lingers() bool { return r.lingers }

// Leave ends the lingering of a tube whose debt is paid off.
func (r *RateLimit) Leave(p *Policy, now int64) {
	r.pay(p, now)
	r.lingers = false
}

// Sound says that a limit is as its policy says (M4).
func (r *RateLimit) Sound(p *Policy) bool {
	if p.Rate == 0 {
		return *r == RateLimit{}
	}
	return r.debt <= p.most() || r.opens == r.paidOff(p, p.most())
}
