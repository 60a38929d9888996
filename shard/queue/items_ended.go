package queue

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
	for n := len(s.ending); n > 0 && !s.spent(); n = len(s.ending) {
		v := s.ending[n-1]
		s.spend(looking)
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
	for n := len(s.parting); n > 0 && !s.spent(); n = len(s.parting) {
		g := s.parting[n-1]
		s.spend(looking)
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
