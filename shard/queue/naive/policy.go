package naive

import (
	"cmp"
	"slices"

	"beanfield/shard/queue/policy"
)

// perJob is what a job takes of memory beside its body.
const perJob = 100

// over says that some jobs are more than there may be.
func over(most policy.Amount, jobs []*Job) bool {
	count, bytes := int64(len(jobs)), int64(0)
	for _, j := range jobs {
		bytes += int64(len(j.Body))
	}
	more := func(b policy.Bound, n int64) bool { return most[b] > 0 && n > most[b] }
	return more(policy.BoundJobs, count) || more(policy.BoundBytes, bytes) ||
		more(policy.BoundMemory, bytes+perJob*count)
}

// with is some jobs and another one.
func with(jobs []*Job, j *Job) []*Job { return append(jobs[:len(jobs):len(jobs)], j) }

// dropOrder is the order in which a full tube drops ready jobs.
func dropOrder(p *policy.Policy) func(a, b *Job) int {
	if p.Full == policy.FullOldest {
		return func(a, b *Job) int { return cmp.Or(cmp.Compare(a.Created, b.Created), byID(a, b)) }
	}
	return func(a, b *Job) int { return ByPri(b, a) } // who would be reserved last
}

// policy is what holds for a tube.
func (m *Queue) policy(tube string) *policy.Policy {
	if p := m.Policies[tube]; p != nil {
		return p
	}
	return &policy.Policy{}
}

// full says that a tube has no room for some jobs more, whatever it drops.
func (m *Queue) full(tube string, more ...*Job) bool {
	p := m.policy(tube)
	stay := slices.DeleteFunc(m.In(tube), func(k *Job) bool { return p.Full != policy.FullRefuse && k.State == Ready })
	return over(p.Most, append(stay, more...))
}

// makeWay drops ready jobs of a tube until another one fits.
func (m *Queue) makeWay(tube string, j *Job) {
	p := m.policy(tube)
	for over(p.Most, with(m.In(tube), j)) {
		m.Did[policy.ActionDrop]++
		m.end(m.Least(dropOrder(p), func(k *Job) bool { return k.Tube == tube && k.State == Ready }))
	}
}

// makeRoom drops a victim, if there is one, and then ready jobs until another one fits, or none if that is not enough.
func (m *Queue) makeRoom(new, victim *Job) bool {
	switch {
	case m.full(new.Tube, new):
		m.Did[policy.ActionRefuse]++
		return false
	case m.NoPuts || over(m.Most, with(m.Jobs, new)):
		return false
	case victim != nil:
		m.Did[policy.ActionDrop]++
		m.end(victim)
	}
	m.makeWay(new.Tube, new)
	return true
}

// PutAll puts all of some jobs, or none. Those that are put get ids from this one on.
func (m *Queue) PutAll(all []*Job, id uint64) Status {
	jobs, status := m.fresh(all)
	if status != OK {
		return status
	}
	for _, j := range jobs {
		others := slices.DeleteFunc(slices.Clone(jobs), func(k *Job) bool { return k.Tube != j.Tube })
		if m.NoPuts || m.full(j.Tube, others...) || over(m.Most, slices.Concat(m.Jobs, jobs)) {
			return NoRoom
		}
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
		m.Did[policy.ActionExpire]++
		m.end(j)
		return true
	case m.NoUpdates:
		return false
	case m.mostOf(j) > 0 && delivered(p, j) >= m.mostOf(j):
		fate := policy.FateBury
		if p.MaxDeliveries > 0 {
			fate = p.DeadLetter
		}
		j.place(Ready)
		m.die(j, fate)
		return true
	case delayed || p.Retry.First == 0:
		return false
	}
	wait, most := p.Retry.First, p.Retry.Most
	for n := uint32(1); most > 0 && n < j.Reserves; n++ {
		wait = min(2*wait, most)
	}
	if most > 0 {
		wait = m.Spread(j.ID, j.Reserves, wait)
	}
	m.Did[policy.ActionRetry]++
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
	ruled, said := m.policy(j.Tube).MaxDeliveries, j.said().MaxDeliveries
	if ruled == 0 || said > 0 && said < ruled {
		return said
	}
	return ruled
}

func delivered(p *policy.Policy, j *Job) int {
	return int(map[policy.Counted]uint32{
		policy.CountReserves: j.Reserves - j.Before.Reserves,
		policy.CountTimeouts: j.Timeouts - j.Before.Timeouts,
		policy.CountReleases: j.Releases - j.Before.Releases,
	}[p.Count])
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
			m.Did[policy.ActionExpire]++
			m.end(j)
		}
	}
}
