package naive

import (
	"cmp"
	"slices"
	"strings"
)

// Share is a job's worth in a fair scheduler, divided by the weight. Weights up to 16 divide it.
const Share = 720720

// FairScheduler is what clients have together that watch the same tubes, of which one has a weight.
type FairScheduler struct {
	Clock int64            // the highest tag that a job was handed out at
	Tags  map[string]int64 // of the tubes that had a job when somebody last looked, or before
	Idle  map[string]bool  // of these, those that had none
}

// enter finds the fair scheduler that a client reserves in from now on; nil if there is none.
func (m *Queue) enter(client int) *FairScheduler {
	m.Clients[client].fair = ""
	watched := slices.Sorted(slices.Values(m.Clients[client].Watched))
	heavy := slices.ContainsFunc(watched, func(tube string) bool { return m.policy(tube).Weight > 0 })
	if !heavy || len(watched) < 2 {
		return nil
	}
	if m.FairSchedulers == nil {
		m.FairSchedulers = map[string]*FairScheduler{}
	}
	key := strings.Join(append(watched, m.Clients[client].Wants...), " ")
	if m.FairSchedulers[key] == nil {
		m.FairSchedulers[key] = &FairScheduler{Tags: map[string]int64{}, Idle: map[string]bool{}}
	}
	m.Clients[client].fair = key
	return m.FairSchedulers[key]
}

// tag is where a tube stands that has a job. One that had none begins again at the clock.
func (x *FairScheduler) tag(tube string) int64 {
	if tag, known := x.Tags[tube]; !known || x.Idle[tube] {
		x.Tags[tube] = max(tag, x.Clock)
	}
	x.Idle[tube] = false
	return x.Tags[tube]
}

// Next is the job that a client would get, and its tube's tag.
func (m *Queue) Next(client int) (*Job, int64) {
	watched := m.Clients[client].Watched
	x := m.enter(client)
	if x == nil {
		return m.bestFor(client, watched...), 0
	}
	var next *Job
	for _, tube := range watched {
		j := m.bestFor(client, tube)
		if j == nil {
			x.Idle[tube] = true
		} else if tag := x.tag(tube); next == nil || cmp.Or(cmp.Compare(tag, x.Tags[next.Tube]),
			m.byTurn(j, next)) < 0 {
			next = j
		}
	}
	if next == nil {
		return nil, 0
	}
	return next, x.Tags[next.Tube]
}

// charge counts a job that a client is given.
func (m *Queue) charge(client int, tube string) {
	if x := m.FairSchedulers[m.Clients[client].fair]; x != nil {
		tag := x.tag(tube)
		x.Clock = max(x.Clock, tag)
		x.Tags[tube] = tag + Share/int64(max(1, m.policy(tube).Weight))
	}
}

// Offers are the jobs that a client would get, one after the other.
func (m *Queue) Offers(client, most int) (jobs []*Job) {
	m.Next(client)
	c := m.clone()
	for len(jobs) < most {
		j := c.Claim(client)
		if j == nil {
			break
		}
		jobs = append(jobs, j)
	}
	return jobs
}
