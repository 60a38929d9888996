package naive

import (
	"cmp"
	"slices"
)

// View is a further group of a queue. It gets each job too, from when the job first becomes
// ready, if it wants the job's index and tags.
type View struct {
	Number int // no two views have the same
	Name   string
	Start  uint64
	Tags   []string

	line []int // consumers that have room, and for which there was nothing
}

// Part is a job as a group has it.
type Part struct {
	Has, Done bool // of views
	Returns   int  // how often it was taken back from consumers
	Holder    int  // the client that has it, or Nobody

	taken, sent int // order what a client has, and what the view has sent
	since       int64
}

func (p *Part) open() bool { return p.Has && !p.Done }

func (p *Part) undelivered() bool { return p.open() && p.Holder == Nobody }

// of is a job as a view has it, or with nil as the first group does.
func (j *Job) of(v *View) *Part {
	if v == nil {
		return &j.Part
	}
	if j.Parts[v.Number] == nil {
		j.Parts[v.Number] = &Part{Holder: Nobody}
	}
	return j.Parts[v.Number]
}

// View finds a view of a queue; nil if there is none of that name.
func (s *Service) View(name string) *View {
	for _, v := range s.Views {
		if v.Name == name {
			return v
		}
	}
	return nil
}

func (v *View) gets(j *Job) bool { return j.ID >= v.Start && Has(j.Tags, v.Tags) }

func (v *View) leaveLine(client int) {
	v.line = slices.DeleteFunc(v.line, func(i int) bool { return i == client })
}

// addView makes a view, which has the jobs that are there and not delayed.
func (m *Queue) addView(s *Service, name string, start uint64, tags []string) *View {
	m.views++
	v := &View{Number: m.views, Name: name, Start: start, Tags: tags}
	s.Views = append(s.Views, v)
	m.logQueue(s)
	for _, j := range m.In(s.Tube) {
		if j.State != Delayed && v.gets(j) {
			j.of(v).Has = true
		}
	}
	return v
}

// join shows a job that is ready to the views.
func (m *Queue) join(j *Job) {
	for _, v := range m.Service(j.Tube).Views {
		if p := j.of(v); !p.Has && !p.Done && v.gets(j) {
			p.Has = true
			m.callLine(j.Tube, v)
		}
	}
}

// wanted says that a view is not done with a job.
func (m *Queue) wanted(j *Job) bool {
	return slices.ContainsFunc(m.Service(j.Tube).Views, func(v *View) bool { return j.of(v).open() })
}

// leaveViews takes a job that ends, or goes to another queue, out of the views.
func (m *Queue) leaveViews(j *Job) {
	for _, v := range m.Service(j.Tube).Views {
		m.lose(j, v)
	}
	j.Parts = map[int]*Part{}
}

// lose takes a job from the client that has it.
func (m *Queue) lose(j *Job, v *View) {
	p := j.of(v)
	if client := p.Holder; client != Nobody {
		p.Holder = Nobody
		m.loses(client, j.ID)
	}
}

// viewEnds is the end of a job for a view.
func (m *Queue) viewEnds(j *Job, v *View) {
	m.lose(j, v)
	p := j.of(v)
	p.Done, p.Returns = true, 0
	if j.State != Passed || m.wanted(j) {
		m.log(j)
		return
	}
	m.settle(j)
}

// Undelivered lists what a view is yet to send, in the order in which it will.
func (m *Queue) Undelivered(queue string, v *View) (jobs []*Job) {
	jobs = slices.DeleteFunc(m.In(queue), func(j *Job) bool { return !j.of(v).undelivered() })
	slices.SortFunc(jobs, ByPri)
	return jobs
}

// callLine calls the first consumer of a view's line, if there is a job for it.
func (m *Queue) callLine(queue string, v *View) {
	if len(v.line) > 0 && !m.paused(queue) && len(m.Undelivered(queue, v)) > 0 {
		m.wake(v.line[0])
		v.line = v.line[1:]
	}
}

// feedView sends a consumer of a view one item, or lets it wait for one.
func (m *Queue) feedView(client int, v *View) {
	queue := m.Clients[client].Consumer.Queue
	todo := m.Undelivered(queue, v)
	switch {
	case slices.Contains(v.line, client):
	case len(todo) == 0 || m.paused(queue):
		v.line = append(v.line, client)
	default:
		p := todo[0].of(v)
		p.Holder, p.taken = client, m.next()
		m.sendPart(client, todo[0], v)
		m.wake(client)
	}
}

func (m *Queue) sendPart(client int, j *Job, v *View) {
	p := j.of(v)
	p.since, p.sent = m.Now, m.next()
	m.send(client, j, p.Returns)
	if m.Clients[client].Consumer.Auto {
		m.viewEnds(j, v)
	}
}

// oldest is the job that a view's consumers have had for longest; nil if they have none.
func (m *Queue) oldest(queue string, v *View) *Job {
	return m.Least(func(a, b *Job) int { return cmp.Compare(a.of(v).sent, b.of(v).sent) }, func(j *Job) bool {
		return j.Tube == queue && j.of(v).Holder != Nobody
	})
}

// idleAt is when the first job of a view will have been pending for too long, or 0.
func (m *Queue) idleAt(s *Service, v *View) int64 {
	if j := m.oldest(s.Tube, v); j != nil && m.Limits.MaxIdle > 0 {
		return j.of(v).since + m.Limits.MaxIdle
	}
	return 0
}

// tickViews takes back what has been pending for too long.
func (m *Queue) tickViews() {
	for {
		var queue string
		var first *View
		var at int64
		for _, s := range m.Services {
			for _, v := range s.Views {
				due := m.idleAt(s, v)
				if due != 0 && due <= m.Now && (first == nil || due < at || due == at &&
					m.ViewSlot(s.Tube, v) < m.ViewSlot(queue, first)) {
					queue, first, at = s.Tube, v, due
				}
			}
		}
		if first == nil {
			return
		}
		j := m.oldest(queue, first)
		client := j.of(first).Holder
		m.standBack(client)
		m.takeBack(j, first)
		m.wake(client)
	}
}

// DropGroup ends a group. What was pending becomes ready, and is not counted as taken back.
// Without a first group the next watch of the queue names one.
func (m *Queue) DropGroup(queue, group string) Status {
	s := m.Service(queue)
	v := s.View(group)
	if v == nil && (s.First != group || group == "") {
		return NotFound
	}
	var had []*Job
	for i, c := range m.Clients {
		if k := c.Consumer; k != nil && k.Queue == queue && k.Group == group {
			m.Unsubscribe(i)
			had = append(had, m.HeldBy(i)...)
			m.forget(i)
		}
	}
	if v == nil {
		s.First = ""
		m.logQueue(s)
		for _, j := range had {
			m.ready(j)
		}
		m.sweep()
		return OK
	}
	s.Views = slices.DeleteFunc(s.Views, func(w *View) bool { return w == v })
	for _, j := range m.In(queue) {
		if delete(j.Parts, v.Number); j.State == Passed && !m.wanted(j) {
			m.settle(j)
		}
	}
	m.logQueue(s)
	m.sweep()
	return OK
}
