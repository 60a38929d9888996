package queue

// askDropGroup ends a group. Its consumers are told, and what was pending becomes
// ready without being counted. If the group was the first, the next watch
// of the queue names a new one. If it was a view, jobs that all other groups are done
// with end.
func (s *State) askDropGroup(now int64, op *Op) {
	op.Status = OK
	a := op.Ask
	if a.group == nil {
		v := s.serviceNamed(a)
		if a.group = v.groupNamed(a.Group); a.group == nil {
			op.Status = NotFound
			return
		}
		if w := a.group.view; w != nil {
			w.dropping, w.building = true, false
		} else {
			v.first = nil
			s.logQueue(v)
		}
	}
	g := a.group
	for len(g.consumers) > 0 {
		if s.spent() {
			op.Status = More
			return
		}
		s.spend(moving)
		s.dropConsumer(now, g.consumers[len(g.consumers)-1])
	}
	if g.view != nil {
		if !s.emptyView(now, g.view, a) {
			op.Status = More
			return
		}
		s.endView(g.service, g.view)
		s.logQueue(g.service)
	}
	a.group = nil
	a.restart()
	s.letGo(g.service.tube)
}

// dropConsumer does one step to end a consumer, whatever it has.
func (s *State) dropConsumer(now int64, c *consumer) {
	switch {
	case c.to != nil:
		c.to.Removed()
		s.disconnect(now, c)
	case c.held() > 0:
		s.loseFirst(now, c)
	default:
		s.forgetConsumer(c)
	}
}
