package naive

import (
	"cmp"
	"slices"
)

// Policy is what holds for a tube beyond beanstalkd's rules. 0 is no limit.
type Policy struct {
	Bounds
	Drop func(a, b *Job) int // which ready job goes first when the tube is full; nil to refuse

	MaxDeliveries int
	Delivered     func(*Job) uint32 // how often
	Fate          Fate

	Retry, RetryMost int64 // as shard/queue has it
	Expire, Aging    int64
	ExpireReady      bool

	Weight                   int // 0: none, which is 1 beside a tube that has one
	MaxReserved, Rate, Burst int // as shard/queue has it, but for Burst, which is never 0 beside Rate
}

// Bounds are what a tube may have, or a server.
type Bounds struct{ MaxJobs, MaxBytes, MaxMemory int } // 0: no limit

// perJob is what a job takes of MaxMemory beside its body.
const perJob = 100

// over says that some jobs are more than there may be.
func (b *Bounds) over(jobs []*Job) bool {
	count, bytes := size(jobs)
	return b.MaxJobs > 0 && count > b.MaxJobs || b.MaxBytes > 0 && bytes > b.MaxBytes || b.MaxMemory > 0 &&
		bytes+perJob*count > b.MaxMemory
}

// with is some jobs and another one.
func with(jobs []*Job, j *Job) []*Job { return append(jobs[:len(jobs):len(jobs)], j) }

// What policies have done, by its number in Queue.Did: as shard/queue has it.
const (
	Refused = iota
	Dropped
	Expired
	Retried
	DeadBuried
	DeadDeleted
	DeadMoved
	Paced
	Filled
	actions
)

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

// makeRoom drops a victim, if there is one, and then ready jobs until another one fits, or none if that is not enough.
func (m *Queue) makeRoom(new, victim *Job) bool {
	p := m.policy(new.Tube)
	full := func(jobs []*Job) bool { return p.over(with(jobs, new)) }
	var stay []*Job
	for _, j := range m.In(new.Tube) {
		if p.Drop == nil || j.State != Ready {
			stay = append(stay, j)
		}
	}
	if full(stay) {
		m.Did[Refused]++
		return false
	}
	if m.Most.over(with(m.Jobs, new)) {
		return false
	}
	if victim != nil && !m.NoPuts {
		m.Did[Dropped]++
		m.end(victim)
	}
	for !m.NoPuts && full(m.In(new.Tube)) {
		m.Did[Dropped]++
		m.end(m.Least(p.Drop, func(j *Job) bool { return j.Tube == new.Tube && j.State == Ready }))
	}
	return true
}

// PutAll puts all of some jobs, or none. Those that are put get ids from this one on.
func (m *Queue) PutAll(all []*Job, id uint64) Status {
	jobs, status := m.fresh(all)
	if status != OK {
		return status
	}
	for _, j := range jobs {
		p := m.policy(j.Tube)
		var there []*Job
		for _, k := range slices.Concat(m.In(j.Tube), jobs) {
			old := k.State != ""
			if k.Tube == j.Tube && (!old || p.Drop == nil || k.State != Ready) {
				there = append(there, k)
			}
		}
		if p.over(there) || m.Most.over(slices.Concat(m.Jobs, jobs)) {
			return NoRoom
		}
	}
	if m.NoPuts && len(jobs) > 0 {
		return NoRoom
	}
	for _, j := range jobs {
		j.ID = id
		id++
		if status := m.Put(j); status != OK {
			panic("naive: there is no room for a job, although there is room for all")
		}
	}
	for _, j := range all {
		if like := sameName(jobs, j); j.ID == 0 {
			j.ID = like.ID
		}
	}
	return OK
}

// fresh are the jobs of some puts that have not come before. If one has a key that is taken, all are told of the job
// that has it, or of 0 if that would be another one of them.
func (m *Queue) fresh(all []*Job) (jobs []*Job, _ Status) {
	for _, j := range all {
		status := m.known(j)
		taken := slices.ContainsFunc(jobs, func(k *Job) bool {
			return k.Tube == j.Tube && k.said().Key == j.said().Key && k.said().Key != ""
		})
		switch {
		case status == OK:
		case sameName(jobs, j) != nil:
			j.ID = 0 // which it gets with that one
		case status == Exists || taken:
			for _, k := range all {
				k.ID = j.ID
			}
			return nil, Exists
		default:
			jobs = append(jobs, j)
		}
	}
	return jobs, OK
}

// sameName finds the one of some jobs whose put has the same name.
func sameName(jobs []*Job, j *Job) *Job {
	for _, k := range jobs {
		if k.Tube == j.Tube && k.said().Once == j.said().Once && k.said().Once != "" {
			return k
		}
	}
	return nil
}

// comesBack is what becomes of a job that its holder gives back, or loses. It reports false if
// the tube's policy says nothing.
func (m *Queue) comesBack(j *Job, delayed bool) bool {
	p := m.policy(j.Tube)
	switch {
	case m.old(j):
		m.Did[Expired]++
		m.end(j)
		return true
	case m.NoUpdates:
		return false
	case m.mostOf(j) > 0 && p.delivered(j) >= m.mostOf(j):
		fate := FateBury
		if p.MaxDeliveries > 0 {
			fate = p.Fate
		}
		j.place(Ready)
		m.die(j, fate)
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
	m.Did[Retried]++
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
	if m.mostOf(j) > 0 && !m.NoUpdates {
		j.place(Ready)
		m.log(j)
	}
	m.ready(j)
}

// mostOf is how often a job may be delivered; 0 if there is no limit.
func (m *Queue) mostOf(j *Job) int {
	policy, said := m.policy(j.Tube).MaxDeliveries, j.said().MaxDeliveries
	if policy == 0 || said > 0 && said < policy {
		return said
	}
	return policy
}

func (p *Policy) delivered(j *Job) int {
	if p.Delivered == nil {
		return int(j.Reserves - j.Before.Reserves)
	}
	return int(p.Delivered(j))
}

// OldAt is when a job is too old; 0 if never.
func (m *Queue) OldAt(j *Job) int64 {
	at := j.said().Expires
	p := m.policy(j.Tube)
	from := j.Created
	if p.ExpireReady {
		from = m.since(j)*millisecond - m.Epoch
	}
	if p.Expire > 0 && (!p.ExpireReady || j.State == Ready) && (at == 0 || from+p.Expire < at) {
		return max(1, from+p.Expire)
	}
	return at
}

func (m *Queue) old(j *Job) bool { return m.OldAt(j) != 0 && m.OldAt(j) <= m.Now }

// endOld ends the jobs that are too old, and that nobody holds.
func (m *Queue) endOld() {
	for _, j := range slices.Clone(m.Jobs) {
		if m.old(j) && j.State != Reserved && j.State != Passed {
			m.Did[Expired]++
			m.unpend(j)
			m.end(j)
		}
	}
}
