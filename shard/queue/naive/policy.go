package naive

import (
	"cmp"
	"slices"
)

// Policy is what holds for a tube beyond beanstalkd's rules. 0 is no limit.
type Policy struct {
	MaxJobs, MaxBytes int
	Drop              func(a, b *Job) int // which ready job goes first when the tube is full; nil to refuse

	MaxDeliveries int
	Delivered     func(*Job) uint32 // how often
	Fate          Fate

	Retry, RetryMost int64 // as shard/queue has it
	Expire           int64

	MaxReserved, Rate, Burst int // as shard/queue has it, but for Burst, which is never 0 beside Rate
}

// ByAge is the order in which jobs were put.
func ByAge(a, b *Job) int { return cmp.Or(cmp.Compare(a.Created, b.Created), byID(a, b)) }

// ByLeast begins with the job that would be reserved last.
func ByLeast(a, b *Job) int { return -ByPri(a, b) }

// policy is what holds for a tube.
func (m *Queue) policy(tube string) *Policy {
	if p := m.Policies[tube]; p != nil {
		return p
	}
	return &Policy{}
}

// size is how many jobs a tube has, and how large they are.
func size(jobs []*Job) (count, bytes int) {
	for _, j := range jobs {
		count++
		bytes += len(j.Body)
	}
	return count, bytes
}

// makeRoom drops ready jobs until another one fits, or none if that is not enough.
func (m *Queue) makeRoom(new *Job) bool {
	p := m.policy(new.Tube)
	full := func(jobs []*Job) bool {
		count, bytes := size(append(jobs[:len(jobs):len(jobs)], new))
		return p.MaxJobs > 0 && count > p.MaxJobs || p.MaxBytes > 0 && bytes > p.MaxBytes
	}
	var stay []*Job
	for _, j := range m.In(new.Tube) {
		if p.Drop == nil || j.State != Ready {
			stay = append(stay, j)
		}
	}
	if full(stay) {
		return false
	}
	for full(m.In(new.Tube)) {
		m.end(m.Least(p.Drop, func(j *Job) bool { return j.Tube == new.Tube && j.State == Ready }))
	}
	return true
}

// comesBack is what becomes of a job that its holder gives back, or loses. It reports false if
// the tube's policy says nothing.
func (m *Queue) comesBack(j *Job, delayed bool) bool {
	p := m.policy(j.Tube)
	switch {
	case m.old(j):
		m.end(j)
		return true
	case m.NoUpdates:
		return false
	case p.MaxDeliveries > 0 && int(p.Delivered(j)) >= p.MaxDeliveries:
		j.place(Ready)
		m.die(j, p.Fate)
		return true
	case delayed || p.Retry == 0:
		return false
	}
	wait := p.Retry
	for n := uint32(1); p.RetryMost > 0 && n < j.Reserves; n++ {
		wait = min(2*wait, p.RetryMost)
	}
	if p.RetryMost > 0 {
		wait = m.Spread(j.ID, j.Reserves, wait)
	}
	j.place(Delayed)
	j.Deadline = m.Now + wait
	m.log(j)
	return true
}

// giveBack takes a job from a holder that has gone, or was too slow.
func (m *Queue) giveBack(j *Job) {
	m.unhold(j)
	if m.comesBack(j, false) {
		return
	}
	if p := m.policy(j.Tube); p.MaxDeliveries > 0 && !m.NoUpdates {
		j.place(Ready)
		m.log(j)
	}
	m.ready(j)
}

// oldAt is when a job is too old; 0 if never.
func (m *Queue) oldAt(j *Job) int64 {
	if p := m.policy(j.Tube); p.Expire > 0 {
		return max(1, j.Created+p.Expire)
	}
	return 0
}

func (m *Queue) old(j *Job) bool { return m.oldAt(j) != 0 && m.oldAt(j) <= m.Now }

// endOld ends the jobs that are too old, and that nobody holds.
func (m *Queue) endOld() {
	for _, j := range slices.Clone(m.Jobs) {
		if m.old(j) && j.State != Reserved && j.State != Passed {
			m.unpend(j)
			m.end(j)
		}
	}
}
