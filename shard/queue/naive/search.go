package naive

import "slices"

// Seen is how a group sees an item.
type Seen struct {
	Consumer   string // GROUP.USER that has it, or ""
	Pending    bool
	WaitCount  int // items that come before it
	Deliveries int
	Code       string
	Reason     string
}

// Names lists the groups of a queue, the first group first.
func (s *Service) Names() (list []string) {
	if s.First != "" {
		list = append(list, s.First)
	}
	for _, v := range s.Views {
		list = append(list, v.Name)
	}
	return list
}

// Search says how a group of its queue sees an item.
func (m *Queue) Search(j *Job, group string) Seen {
	v, todo := m.Service(j.Tube).View(group), m.Listed(Ready, j.Tube)
	if v != nil {
		todo = m.Undelivered(j.Tube, v)
	}
	p := j.of(v)
	s := Seen{Deliveries: p.Returns, Code: j.Code, Reason: j.Reason, Pending: p.Holder != Nobody}
	if s.Pending {
		s.Deliveries++
		if c := m.Clients[p.Holder].Consumer; c != nil {
			s.Consumer = c.Group + "." + c.User
		}
	}
	s.WaitCount = max(0, slices.Index(todo, j))
	return s
}
