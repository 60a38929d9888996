package queue

// search says where an item is, as the caller's group sees it. If there is no such group,
// no consumer has it. To count the items that come before it, search goes through the
// whole queue, in shares.
func (s *State) search(op *Op) {
	a := op.Ask
	op.Status = NotFound
	v := s.serving(a)
	if v == nil {
		return
	}
	defer s.served(v)
	slot := s.jobIn(v.tube, op.ID)
	if slot == 0 {
		a.restart()
		return
	}
	if !a.begun {
		a.begun, a.Search = true, SearchInfo{}
	}
	g := v.groupNamed(a.Group)
	if s.undelivered(g, slot) && (!s.whole(v) || !s.countBefore(v, a, g, slot)) {
		op.Status = More
		return
	}
	op.Status = OK
	s.whoHas(a, g, slot)
	a.Search.Code, a.Search.Reason = s.noteOf(slot)
	a.restart()
}

// whoHas says which consumer of a group has an item, and how often the item was sent to
// the group. A beanstalk worker that has it has no name.
func (s *State) whoHas(a *Ask, g *group, slot uint32) {
	i := &a.Search
	if g == nil {
		return
	}
	c := s.pendingAt(g, slot)
	i.Deliveries = s.returnsOf(g, slot)
	i.Pending = c != nil || g.view == nil && s.job(slot).state() == Reserved
	if i.Pending {
		i.Deliveries++
		i.WaitCount = 0
	}
	if c != nil {
		i.Consumer = g.name + "." + c.user
	}
}

// countBefore counts the items that a group would be sent before a given one. It reports
// false if it must go on in another turn.
func (s *State) countBefore(v *service, a *Ask, g *group, slot uint32) bool {
	j := s.job(slot)
	own := readyKey(j.pri, j.id(), slot)
	return s.walk(v, a, looking, func(other uint32) {
		x := s.job(other)
		if s.undelivered(g, other) && readyKey(x.pri, x.id(), other).Before(own) {
			a.Search.WaitCount++
		}
	})
}

// count counts the items that have the tags and priority asked for.
func (s *State) count(op *Op) {
	a := op.Ask
	op.Status = OK
	if t := s.tubes[a.Queue]; t == nil || len(a.Tags) == 0 && !a.ByPri {
		a.Count = 0
		if t != nil {
			a.Count = t.length()
		}
		return
	}
	v := s.serving(a)
	defer s.served(v)
	if !a.begun {
		a.begun, a.Count = true, 0
	}
	more := !s.whole(v) || !s.walk(v, a, looking, func(slot uint32) {
		if a.ByPri && s.job(slot).pri != op.Pri {
			return
		}
		if s.tagsOf(slot).Has(a.Tags) {
			a.Count++
		}
	})
	if more {
		op.Status = More
		return
	}
	a.restart()
}
