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
	s := Seen{Deliveries: j.Returns, Code: j.Code, Reason: j.Reason, Pending: j.State == Reserved}
	holder, todo := j.Holder, m.Listed(Ready, j.Tube)
	if v := m.Service(j.Tube).View(group); v != nil {
		p := j.of(v)
		s.Deliveries, s.Pending = p.Returns, p.User != Nobody
		holder, todo = p.User, m.Undelivered(j.Tube, v)
	}
	if s.Pending {
		s.Deliveries++
		if c := m.Clients[holder].Consumer; c != nil {
			s.Consumer = c.Group + "." + c.User
		}
	}
	s.WaitCount = max(0, slices.Index(todo, j))
	return s
}
