package queue

// askAttrs says what a queue is like. It makes neither a tube nor a service: a tube that
// is only looked at costs no more than before. Such a tube has no order of its jobs, so
// Last is then the newest that was put, which may have ended, and First is not known.
func (s *State) askAttrs(op *Op) {
	a := op.Ask
	v := s.serviceNamed(a)
	if v != nil && !s.whole(v) {
		op.Status = More
		return
	}
	op.Status = OK
	a.Attrs = &Attrs{}
	if t := s.tubes[pairOf(a.Queue)]; t != nil {
		a.Attrs.Rear = t.length()
	}
	t := s.tubes[a.Queue]
	if t == nil {
		return
	}
	a.Attrs.Length = t.length()
	if v == nil {
		if a.Attrs.Length > 0 {
			a.Attrs.Last = t.newest
		}
		return
	}
	if o := &v.index.order; o.n > 0 {
		a.Attrs.First, a.Attrs.Last = s.job(o.first()).id(), o.lastID(&s.jobs)
	}
	a.Attrs.Ended = v.ended
	if v.first != nil {
		a.Attrs.addGroup(s.now, v.first)
	}
	for _, w := range v.views {
		a.Attrs.addGroup(s.now, w.group)
	}
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
