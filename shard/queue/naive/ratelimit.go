package naive

import (
	"cmp"

	"beanfield/shard/queue/policy"
)

// rate limit is what a tube has handed out. Owed is when all of it will have been paid off, if each job takes a
// second divided by the rate, counted in nanoseconds times the rate.
type rateLimit struct {
	Owed    int64
	OpensAt int64 // when the next job may go; 0 if it may
	Lingers bool
	opening bool // it may hand out again, and those who wait come first
}

// up is a quotient that is not rounded down.
func up(a, b int64) int64 { return (a + b - 1) / b }

// burst is how many jobs may go at once.
func burst(p *policy.Policy) int64 { return int64(cmp.Or(p.Burst, p.Rate)) }

// handOut notes that somebody has got a job.
func (m *Queue) handOut(tube string) {
	p, t := m.policy(tube), m.Tube(tube)
	if p.MaxReserved > 0 && m.reserved(tube) == p.MaxReserved {
		m.Did[policy.ActionFill]++
	}
	if p.Rate == 0 {
		return
	}
	t.Owed = max(t.Owed, m.Now*int64(p.Rate)) + Second
	if free := t.Owed - (burst(p)-1)*Second; free > m.Now*int64(p.Rate) {
		if t.OpensAt == 0 {
			m.Did[policy.ActionPace]++
		}
		t.OpensAt = up(free, int64(p.Rate))
	}
}

// closed says that a tube hands out nothing just now because of its policy.
func (m *Queue) closed(tube string) bool {
	p, t := m.policy(tube), m.Tube(tube)
	return t != nil && t.OpensAt != 0 || p.MaxReserved > 0 && m.reserved(tube) >= p.MaxReserved
}

func (m *Queue) reserved(tube string) int {
	return m.Counts(tube, func(j *Job) bool { return j.State == Reserved })
}

// free opens a tube again. If somebody waits for one of its jobs, that is for the end of the turn.
func (m *Queue) free(tube string) {
	if t := m.Tube(tube); t != nil && !m.paused(tube) && !m.closed(tube) {
		t.opening = true
		m.isOpening(tube)
	}
}

// isOpening says that those who wait are still to be served.
func (m *Queue) isOpening(tube string) bool {
	t := m.Tube(tube)
	if t == nil || !t.opening {
		return false
	}
	t.opening = !m.paused(tube) && !m.closed(tube) && m.First(Ready, tube) != nil && m.firstWaiter(tube) != Nobody
	return t.opening
}

// shut says that a reserve finds nothing in a tube.
func (m *Queue) shut(tube string) bool { return m.paused(tube) || m.closed(tube) || m.isOpening(tube) }

// unhold takes a job from its holder, to no place.
func (m *Queue) unhold(j *Job) {
	if j.State != Reserved {
		return
	}
	j.place("")
	if most := m.policy(j.Tube).MaxReserved; most > 0 && m.reserved(j.Tube) == most-1 {
		m.free(j.Tube)
	}
}

// serveOpening serves those who wait for tubes that are open again, the best job of all first.
func (m *Queue) serveOpening() {
	for {
		j := m.bestOf(m.isOpening)
		if j == nil {
			return
		}
		m.serveFirst(j.Tube)
	}
}

// tickRates opens the tubes whose time has come, and ends those that only lingered.
func (m *Queue) tickRates() {
	for _, t := range m.Tubes {
		if t.OpensAt != 0 && t.OpensAt <= m.Now {
			t.OpensAt = 0
			m.free(t.Name)
		}
		if t.Lingers && m.paidOff(t) <= m.Now {
			t.Lingers, t.Owed = false, 0
		}
	}
	m.serveOpening()
}

// paidOff is when all that a tube has handed out is paid off.
func (m *Queue) paidOff(t *Tube) int64 { return up(t.Owed, int64(max(1, m.policy(t.Name).Rate))) }

// lingers keeps a tube that would end while it owes something.
func (m *Queue) lingers(t *Tube) bool {
	p := m.policy(t.Name)
	t.Lingers = t.Lingers || p.Rate > 0 && t.Owed > m.Now*int64(p.Rate)
	return t.Lingers
}

// Rule gives a tube another policy, or none.
func (m *Queue) Rule(tube string, p *policy.Policy) {
	old, t := m.policy(tube), m.Tube(tube)
	m.Policies[tube] = p
	if t == nil {
		return
	}
	if now := m.policy(tube); old.Rate != now.Rate || burst(old) != burst(now) {
		t.rateLimit = rateLimit{}
	}
	m.waitFrom(tube)
	m.free(tube)
	m.serveOpening()
	m.sweep()
}
