package naive

import "slices"

// log notes what the log must know of a job from now on. That somebody holds it is not
// logged.
func (m *Queue) log(j *Job) {
	l := *j
	l.Logged, l.Holder, l.Quarantined, l.avoid = nil, Nobody, false, 0
	if l.State == Reserved {
		l.State = Ready
	}
	if l.State != Delayed {
		l.Deadline = 0
	}
	l.Parts = map[int]*Part{}
	for n, p := range j.Parts {
		if p.Done || p.Returns > 0 {
			l.Parts[n] = &Part{Done: p.Done, Returns: p.Returns, Holder: Nobody}
		}
	}
	j.Logged = &l
	if m.Wrote != nil {
		m.Wrote(&l, false)
	}
}

// logQueue does so for what a queue is.
func (m *Queue) logQueue(s *Service) {
	if m.WroteQueue != nil {
		m.WroteQueue(s.record())
	}
}

func (s *Service) record() *Service {
	r := *s
	r.filtered, r.Views = nil, nil
	for _, v := range s.Views {
		w := *v
		w.line = nil
		r.Views = append(r.Views, &w)
	}
	return &r
}

// Restore makes a queue of a log's records. Nobody is there: clients and limits are the
// caller's to set.
func Restore(jobs []*Job, services []*Service) *Queue {
	m := New()
	for _, s := range services {
		m.Services[s.Tube] = s.record()
		for _, v := range s.Views {
			m.views = max(m.views, v.Number)
		}
		if m.keeps(s.Tube) {
			m.need(s.Tube)
		}
	}
	for _, l := range jobs {
		j := *l
		j.Logged, j.Parts, j.Since, j.Holder = l, map[int]*Part{}, 0, Nobody
		for n, p := range l.Parts {
			j.Parts[n] = &Part{Done: p.Done, Returns: p.Returns, Holder: Nobody}
			m.views = max(m.views, n)
		}
		m.seq = max(m.seq, j.Rank, j.taken)
		m.Jobs = append(m.Jobs, &j)
		m.need(j.Tube)
		if j.State != Delayed {
			m.join(&j)
		}
	}
	slices.SortFunc(m.Jobs, byID)
	return m
}
