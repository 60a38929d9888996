package naive

import (
	"cmp"

	"beanfield/storage"
)

// A job may rise while it is ready: its priority counts for one less for each Aging that it has waited.

// since is when a ready job became so, in milliseconds.
func (m *Queue) since(j *Job) int64 {
	if j.Since != 0 {
		return j.Since
	}
	return (j.Created + m.Epoch) / millisecond
}

// beginsWaiting begins a job's waiting, where it counts.
func (m *Queue) beginsWaiting(j *Job) {
	if p := m.policy(j.Tube); p.Aging == 0 && (!p.ExpireReady || !j.hasPast()) {
		j.Since = 0
	} else {
		j.Since = (m.Now + m.Epoch) / millisecond
	}
}

// hasPast says that a job has been something else than ready.
func (j *Job) hasPast() bool {
	return j.Delay > 0 || j.Counters != (storage.Counters{})
}

// waitFrom begins the waiting of ready jobs of which nobody knows since when they are, where it counts.
func (m *Queue) waitFrom(tube string) {
	if p := m.policy(tube); !p.ExpireReady || p.Aging > 0 {
		return
	}
	for _, j := range m.Listed(Ready, tube) {
		if j.hasPast() && j.Since == 0 {
			j.Since = (m.Now + m.Epoch) / millisecond
		}
	}
}

// Resume goes on with the keys and the clock of a queue that was restored, and begins the waiting of its jobs where
// that counts.
func (m *Queue) Resume(now int64, old *Queue) {
	m.RestoreKeys(old.Keys)
	m.Now, m.Epoch = now, old.Epoch
	for tube := range m.Policies {
		m.waitFrom(tube)
	}
}

// AgedPri is the priority that a ready job has by now.
func (m *Queue) AgedPri(j *Job) uint32 {
	aging := m.policy(j.Tube).Aging / millisecond
	if aging == 0 {
		return j.Pri
	}
	waited := max(0, (m.Now+m.Epoch)/millisecond-m.since(j))
	return uint32(max(0, int64(j.Pri)-waited/aging))
}

// byKey is the order of the ready jobs of one tube: all of them rise as fast.
func (m *Queue) byKey(a, b *Job) int {
	aging := m.policy(a.Tube).Aging / millisecond
	if aging == 0 {
		return ByPri(a, b)
	}
	return cmp.Or(cmp.Compare(int64(a.Pri)*aging+m.since(a), int64(b.Pri)*aging+m.since(b)), byID(a, b))
}

// byTurn is the order of the best jobs of several tubes.
func (m *Queue) byTurn(a, b *Job) int {
	return cmp.Or(cmp.Compare(m.AgedPri(a), m.AgedPri(b)), byID(a, b))
}

// bestOf is the best ready job of some tubes.
func (m *Queue) bestOf(fits func(tube string) bool) *Job {
	var best *Job
	for _, t := range m.Tubes {
		if !fits(t.Name) {
			continue
		}
		if j := m.First(Ready, t.Name); j != nil && (best == nil || m.byTurn(j, best) < 0) {
			best = j
		}
	}
	return best
}

// bestFor is the job that a client would take from some tubes, by its tags.
func (m *Queue) bestFor(client int, tubes ...string) (best *Job) {
	for _, tube := range tubes {
		if m.Tube(tube) == nil || m.shut(tube) {
			continue
		}
		if j := m.firstFor(client, tube); j != nil && (best == nil || m.byTurn(j, best) < 0) {
			best = j
		}
	}
	return best
}

// firstFor is the first ready job of a tube that a client asks for.
func (m *Queue) firstFor(client int, tube string) *Job {
	for _, j := range m.Listed(Ready, tube) {
		if Has(j.Tags, m.Clients[client].Wants) {
			return j
		}
	}
	return nil
}
