package queue

// search says where an item is, as the caller's group sees it. If there is no such group,
// no consumer has it. To count the items that come before it, search goes through the
// whole queue, in shares.
func (s *State) search(_ *Batch, op *Op) Status {
	a := op.Ask
	v := s.serving(a)
	if v == nil {
		return NotFound
	}
	defer s.served(v)
	slot := s.jobIn(v.tube, op.ID)
	if slot == 0 {
		a.restart()
		return NotFound
	}
	if !a.begun {
		a.begun, a.Search = true, SearchInfo{}
	}
	g := v.groupNamed(a.Group)
	if s.undelivered(g, slot) && (!s.whole(v) || !s.countBefore(v, a, g, slot)) {
		return More
	}
	s.whoHas(a, g, slot)
	a.Search.Code, a.Search.Reason = s.noteOf(slot)
	a.restart()
	return OK
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
	return v.walk(s, &a.from, looking, func(other uint32) bool {
		x := s.job(other)
		if s.undelivered(g, other) && readyKey(x.pri, x.id(), other).Before(own) {
			a.Search.WaitCount++
		}
		return true
	})
}

// count counts the items that have the tags and priority asked for.
func (s *State) count(_ *Batch, op *Op) Status {
	a := op.Ask
	if t := s.tubes[a.Queue]; t == nil || len(a.Tags) == 0 && !a.ByPri {
		a.Count = 0
		if t != nil {
			a.Count = t.length()
		}
		return OK
	}
	v := s.serving(a)
	defer s.served(v)
	if !a.begun {
		a.begun, a.Count = true, 0
	}
	if !s.whole(v) || !v.walk(s, &a.from, looking, func(slot uint32) bool {
		if (!a.ByPri || s.job(slot).pri == op.Pri) && s.tagsOf(slot).Has(a.Tags) {
			a.Count++
		}
		return true
	}) {
		return More
	}
	a.restart()
	return OK
}

// askAttrs says what a queue is like. It makes neither a tube nor a service: a tube that
// is only looked at costs no more than before. Such a tube has no order of its jobs, so
// Last is then the newest that was put, which may have ended, and First is not known.
func (s *State) askAttrs(_ *Batch, op *Op) Status {
	a := op.Ask
	v := s.serviceNamed(a)
	if v != nil && !s.whole(v) {
		return More
	}
	a.Attrs = &Attrs{}
	if t := s.tubes[pairOf(a.Queue)]; t != nil {
		a.Attrs.Rear = t.length()
	}
	t := s.tubes[a.Queue]
	if t == nil {
		return OK
	}
	a.Attrs.Length = t.length()
	if v == nil {
		if a.Attrs.Length > 0 {
			a.Attrs.Last = t.newest
		}
		return OK
	}
	if o := &v.index.order; o.n > 0 {
		a.Attrs.First, a.Attrs.Last = s.job(o.first()).id(), o.lastID()
	}
	a.Attrs.Ended = v.ended
	if v.first != nil {
		a.Attrs.addGroup(s.now, v.first)
	}
	for _, w := range v.views {
		a.Attrs.addGroup(s.now, w.group)
	}
	return OK
}

// addGroup tells of a group and its consumers.
func (x *Attrs) addGroup(now int64, g *group) {
	x.GroupsTotal++
	x.ConsumersTotal += len(g.consumers)
	if len(x.Groups) < ListMost {
		x.Groups = append(x.Groups, GroupInfo{
			Group: g.name, Index: g.index, Pending: g.pending, Delivered: g.delivered, Consumers: len(g.consumers),
		})
	}
	for _, c := range g.consumers {
		if len(x.Consumers) >= ListMost {
			return
		}
		x.Consumers = append(x.Consumers, c.info(now))
	}
}

func (c *consumer) info(now int64) ConsumerInfo {
	info := ConsumerInfo{
		Group: c.group.name, User: c.user, Index: c.index, Pending: c.held(), Status: c.status(),
		Idle: now - c.heard, AutoCommit: c.autoCommit, Tags: append(Tags(nil), c.tags...),
	}
	if !c.autoCommit {
		info.Window, info.Slots = c.window, c.slots()
	}
	return info
}

func (f *TubeFigures) add(g *group) {
	f.Groups++
	f.Consumers += len(g.consumers)
	f.Pending += uint64(max(0, g.pending))
	f.Delivered += g.delivered
}
