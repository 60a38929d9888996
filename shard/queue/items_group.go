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
	if w := v.named[name]; w != nil {
		return w.group
	}
	return nil
}

// askDropGroup ends a group. Its consumers are told, and what was pending becomes
// ready without being counted. If the group was the first, the next watch
// of the queue names a new one. If it was a view, jobs that all other groups are done
// with end.
func (s *State) askDropGroup(_ *Batch, op *Op) Status {
	a := op.Ask
	if a.group == nil {
		v := s.serviceNamed(a)
		if a.group = v.groupNamed(a.Group); a.group == nil {
			return NotFound
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
	if !s.dropConsumers(g, a) || g.view != nil && !s.emptyView(g.view, a) {
		return More
	}
	if g.view != nil {
		s.endView(g.service, g.view)
		s.logQueue(g.service)
	} else {
		g.service.dropping--
	}
	a.group = nil
	a.restart()
	s.letGo(g.service.tube)
	return OK
}

// dropConsumers ends a group's consumers. First all lose their connections: otherwise an
// item that one of them has had would be pushed to another, which is about to be told that
// the group is gone. It reports false if it must go on in another turn.
func (s *State) dropConsumers(g *group, a *Ask) bool {
	for ; a.at > 0; a.at-- {
		if !s.step(moving) {
			return false
		}
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
		if !s.step(moving) {
			return false
		}
		if c := g.consumers[len(g.consumers)-1]; c.held() > 0 {
			s.offerAgain(g, s.firstHeld(c))
		} else {
			s.forgetConsumer(c)
		}
	}
	return true
}

// A queue that has ended takes no more items over HTTP; what it has is still delivered. A
// group is over when it is done with all of it, so that nothing more comes to its
// consumers. Then each of them is told, by a delivery batch behind all that it was sent.
//
// A connection that ends because of that (Ask.Closes) is told only once: most clients connect
// again when their connection ends, and would do so for ever. A consumer that was told and
// comes back is a consumer like any other. It waits, and is sent what beanstalk clients
// still put. When it has left and is forgotten, it may be told again.
//
// What may make a group over lists its queue in State.ending, and the groups that are over
// are listed in State.parting, whose consumers are woken in shares (Q7).

// over says that nothing more comes to the group's consumers, as far as anybody knows.
func (g *group) over() bool {
	v := g.service
	t := v.tube
	if !v.ended || t.delayed.N > 0 {
		return false
	}
	if w := g.view; w != nil {
		return w.heap.N == 0 && g.pending == 0 && !w.building && !w.dropping
	}
	return v.first == g && t.ready.N == 0 && t.reserved == 0
}

// mayBeOver notes that a group of a queue has fewer items than before.
func (s *State) mayBeOver(v *service) {
	switch {
	case !v.ended:
	case v.ending:
		v.changed = true
	default:
		v.ending, v.visited = true, 0
		s.ending = append(s.ending, v)
	}
}

// tickOver goes on waking the consumers of groups that are over.
func (s *State) tickOver() {
	for n := len(s.ending); n > 0 && s.step(looking); n = len(s.ending) {
		v := s.ending[n-1]
		switch {
		case v.visited == 0:
			s.conclude(v.first)
		case v.visited <= len(v.views):
			s.conclude(v.views[v.visited-1].group)
		case v.changed:
			v.changed, v.visited = false, 0
			continue
		default:
			v.ending = false
			s.ending[n-1] = nil
			s.ending = s.ending[:n-1]
			continue
		}
		v.visited++
	}
	for n := len(s.parting); n > 0 && s.step(looking); n = len(s.parting) {
		g := s.parting[n-1]
		if g.uncalled--; g.uncalled < 0 {
			g.parting = false
			s.parting[n-1] = nil
			s.parting = s.parting[:n-1]
		} else if g.uncalled < len(g.consumers) { // those that were forgotten are at the end
			s.wake(g.consumers[g.uncalled])
		}
	}
}

// conclude lists a group whose consumers are to be told.
func (s *State) conclude(g *group) {
	if g == nil || g.parted || !g.over() {
		return
	}
	g.parted, g.uncalled = true, len(g.consumers)
	if !g.parting {
		g.parting = true
		s.parting = append(s.parting, g)
	}
}

// tells tells a consumer of a queue that has ended, and that listens, that its group is
// over. It reports false if the group is not, or the consumer knows.
func (s *State) tells(c *consumer) bool {
	if c.told {
		return false
	}
	if !c.group.over() {
		c.group.parted = false // this one has not been told
		return false
	}
	s.batchFor(c).Over = true
	c.told = true
	if c.closes {
		s.standBack(c)
		c.stopped = true
	} else {
		s.wake(c)
	}
	return true
}
