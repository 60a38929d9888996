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
			v.dropping++
			s.logQueue(v)
		}
		a.at = len(a.group.consumers)
	}
	g := a.group
	if !s.dropConsumers(now, g, a) {
		op.Status = More
		return
	}
	if g.view != nil {
		if !s.emptyView(now, g.view, a) {
			op.Status = More
			return
		}
		s.endView(g.service, g.view)
		s.logQueue(g.service)
	} else {
		g.service.dropping--
	}
	a.group = nil
	a.restart()
	s.letGo(g.service.tube)
}

// dropConsumers ends a group's consumers. First all lose their connections: otherwise an
// item that one of them has had would be pushed to another, which is about to be told that
// the group is gone. It reports false if it must go on in another turn.
func (s *State) dropConsumers(now int64, g *group, a *Ask) bool {
	for ; a.at > 0; a.at-- {
		if s.spent() {
			return false
		}
		s.spend(moving)
		if a.at > len(g.consumers) {
			continue // some have been forgotten meanwhile
		}
		c := g.consumers[a.at-1]
		if c.to != nil {
			c.to.Removed()
			s.disconnect(now, c)
		}
		if !c.departed { // it keeps its items until the loop below takes them
			s.leaving.Schedule(s.leavePos, c.client.slot, now+forgetAfter)
		}
	}
	for len(g.consumers) > 0 {
		if s.spent() {
			return false
		}
		s.spend(moving)
		if c := g.consumers[len(g.consumers)-1]; c.held() > 0 {
			s.loseFirst(now, c)
		} else {
			s.forgetConsumer(c)
		}
	}
	return true
}
