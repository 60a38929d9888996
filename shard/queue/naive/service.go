package naive

import (
	"slices"
	"strings"

	"beanfield/shard/queue/policy"
)

// rear is how the name of a queue's rear queue ends.
const rear = ";rear"

// Service is what the queue service knows of a tube: a queue. Its first group is the tube.
type Service struct {
	Tube  string
	First string // the name of the first group; "" if it has none
	Views []*View

	filtered []int // consumers that want not just any item; first the one that has waited longest
}

// Service is what is known of a queue, or will be.
func (m *Queue) Service(tube string) *Service {
	s := m.Services[tube]
	if s == nil {
		s = &Service{Tube: tube}
		m.Services[tube] = s
	}
	return s
}

// Kept says that a queue has something that the log knows.
func (s *Service) Kept() bool { return s.First != "" || len(s.Views) > 0 }

// keeps says that a tube must not end, because the queue service needs it.
func (m *Queue) keeps(tube string) bool {
	return m.Service(tube).Kept() || slices.ContainsFunc(m.Gets, func(g *Get) bool { return g.Queue == tube })
}

// Has says whether tags include others.
func Has(tags, others []string) bool {
	return !slices.ContainsFunc(others, func(tag string) bool { return !slices.Contains(tags, tag) })
}

// In lists the jobs of a queue by id.
func (m *Queue) In(queue string) (jobs []*Job) {
	for _, j := range m.Jobs {
		if j.Tube == queue {
			jobs = append(jobs, j)
		}
	}
	slices.SortFunc(jobs, byID)
	return jobs
}

// PutItem puts an item into its queue.
func (m *Queue) PutItem(j *Job) Status {
	m.Service(j.Tube)
	pair := j.Tube + rear
	if front, is := strings.CutSuffix(j.Tube, rear); is {
		pair = front
	}
	full := m.Limits.MaxLength > 0 && len(m.In(j.Tube))+len(m.In(pair)) >= m.Limits.MaxLength
	victim := m.Least(byID, func(k *Job) bool { return m.Limits.AutoEvict && k.Tube == j.Tube && !m.had(k) })
	if full && victim == nil {
		m.Did[policy.ActionRefuse]++
		return TooLong
	}
	j.TTR = uint32((m.Limits.MaxIdle + Second - 1) / Second)
	if !full {
		victim = nil
	}
	status := m.putFor(j, victim)
	if status == NoRoom && !m.NoPuts { // its tube's policy
		status = TooLong
	}
	m.sweep()
	return status
}

// had says whether a client or a consumer has a job.
func (m *Queue) had(j *Job) bool {
	for _, p := range j.Parts {
		if p.Holder != Nobody {
			return true
		}
	}
	return j.Holder != Nobody
}

// EndItems ends items of a queue for everybody, whoever has them.
func (m *Queue) EndItems(queue string, which func(*Job) bool) {
	for _, j := range m.In(queue) {
		if which(j) {
			m.endForAll(j)
		}
	}
	m.sweep()
}

func (m *Queue) endForAll(j *Job) {
	m.lose(j, nil)
	if j.State != Passed { // otherwise it was counted when it passed
		m.Tube(j.Tube).Deletes++
	}
	m.end(j)
}

// finish is the end of a job for the first group.
func (m *Queue) finish(j *Job) {
	m.Tube(j.Tube).Deletes++
	j.place(Passed)
	if m.wanted(j) {
		m.log(j)
		return
	}
	m.settle(j)
}

// settle is the end of a job for its last group.
func (m *Queue) settle(j *Job) {
	if j.Fated {
		m.die(j, j.Fate)
		return
	}
	m.end(j)
}

func (m *Queue) end(j *Job) {
	m.leaveViews(j)
	m.gives(j)
	m.Jobs = slices.DeleteFunc(m.Jobs, func(k *Job) bool { return k == j })
	if m.Wrote != nil {
		m.Wrote(j, true)
	}
}

// die is what becomes of a dead letter, which waits until the views are done with it.
func (m *Queue) die(j *Job, f policy.Fate) {
	switch j.Fated = m.wanted(j); {
	case j.Fated:
		j.Fate = f
		j.place(Passed)
		m.log(j)
	case f == policy.FateDrop:
		m.Did[policy.ActionDelete]++
		m.end(j)
	case f == policy.FateRear && !strings.HasSuffix(j.Tube, rear):
		m.Did[policy.ActionMove]++
		m.leaveViews(j)
		m.gives(j)
		j.Tube += rear
		m.need(j.Tube).Total++
		j.Returns, j.Moved = 0, true
		j.place(Ready)
		m.log(j)
		m.ready(j)
	default:
		m.Did[policy.ActionBury]++
		m.bury(j)
	}
}
