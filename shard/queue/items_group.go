package queue

// group is a set of consumers that share the items of a queue: each item goes to one
// of them.
type group struct {
	name      string
	service   *service
	users     map[string]*consumer
	consumers []*consumer // the same, in no particular order
	index     uint64      // the highest that any of them was sent
	delivered uint64
	pending   int   // of all of them together
	view      *view // nil for the first group

	parted   bool // its consumers have been told that it is over, or are in State.parting
	parting  bool // it is in State.parting
	uncalled int  // there: how many of its consumers have not been woken
}

func newGroup(v *service, name string) *group {
	return &group{name: name, service: v, users: map[string]*consumer{}}
}

// add takes in a consumer.
func (g *group) add(c *consumer) {
	g.users[c.user] = c
	c.at = len(g.consumers)
	g.consumers = append(g.consumers, c)
}

// remove takes a consumer out. The last one gets its place.
func (g *group) remove(c *consumer) {
	delete(g.users, c.user)
	last := len(g.consumers) - 1
	g.consumers[c.at] = g.consumers[last]
	g.consumers[c.at].at = c.at
	g.consumers[last] = nil
	g.consumers = g.consumers[:last]
}

// groupNamed finds a group of a queue; nil if there is none of that name.
func (v *service) groupNamed(name string) *group {
	if v == nil {
		return nil
	}
	if v.first != nil && v.first.name == name {
		return v.first
	}
	if w := v.viewNamed(name); w != nil {
		return w.group
	}
	return nil
}

// askDropGroup ends a group. Its consumers are told, and what was pending becomes
// ready without being counted. If the group was the first, the next watch
// of the queue names a new one. If it was a view, jobs that all other groups are done
// with end.
func (s *State) askDropGroup(op *Op) {
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
	if !s.dropConsumers(g, a) {
		op.Status = More
		return
	}
	if g.view != nil {
		if !s.emptyView(g.view, a) {
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
func (s *State) dropConsumers(g *group, a *Ask) bool {
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
			s.disconnect(c)
		}
		if !c.departed { // it keeps its items until the loop below takes them
			s.leaving.Schedule(c.client.slot, s.now+forgetAfter)
		}
	}
	for len(g.consumers) > 0 {
		if s.spent() {
			return false
		}
		s.spend(moving)
		if c := g.consumers[len(g.consumers)-1]; c.held() > 0 {
			s.offerAgain(g, s.firstHeld(c))
		} else {
			s.forgetConsumer(c)
		}
	}
	return true
}
