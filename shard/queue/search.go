package queue

// search says where an item is, for the caller's group. To count those that come
// before it, it goes through the whole queue, in shares.
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
		a.Search = SearchInfo{}
	}
	if v.searched(s, a, slot) {
		op.Status = OK
	} else if !s.whole(v) || !s.countBefore(v, a, slot) {
		op.Status = More
		return
	} else {
		op.Status = OK
	}
	a.Search.Code, a.Search.Reason = s.noteOf(slot)
	a.restart()
}

// searched fills the answer for an item that waits for nobody.
func (v *service) searched(s *State, a *Ask, slot uint32) bool {
	j := s.jobs.at(slot)
	if j.state() != Reserved {
		return false
	}
	c := s.holderOf(slot)
	if it := s.itemAt(slot); it != nil {
		a.Search.Deliveries = int(it.rebalances)
	}
	switch {
	case c == nil: // a worker has it
		a.Search.Pending = true
	case c.group.name == a.Group:
		a.Search.Pending, a.Search.Consumer = true, c.group.name+"."+c.user
		a.Search.Deliveries++
	}
	return true
}

// countBefore counts the ready items that would be delivered before a given one. It
// reports false if it is to go on in another turn.
func (s *State) countBefore(v *service, a *Ask, slot uint32) bool {
	a.begun = true
	j := s.jobs.at(slot)
	own := readyKey(j.pri, j.id(), slot)
	return s.walk(v, a, func(other uint32) {
		x := s.jobs.at(other)
		if x.state() == Ready && readyKey(x.pri, x.id(), other).before(own) {
			a.Search.WaitCount++
		}
	})
}

// walk shows all items of a queue, in the order of their ids, from a.from on. It
// reports false if it is to go on in another turn.
func (s *State) walk(v *service, a *Ask, show func(slot uint32)) bool {
	o := &v.finder.order
	for at := o.seek(&s.jobs, a.from); ; at = o.next(at) {
		slot := o.at(at)
		switch {
		case slot == 0:
			return true
		case s.spent():
			return false
		}
		s.spend(looking)
		a.from = s.jobs.at(slot).id() + 1
		show(slot)
	}
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
	more := !s.whole(v) || !s.walk(v, a, func(slot uint32) {
		if a.ByPri && s.jobs.at(slot).pri != op.Pri {
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
