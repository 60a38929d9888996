package queue

// askPut makes an item.
func (s *State) askPut(now int64, op *Op) {
	a := op.Ask
	t := s.tubeNamed([]byte(a.Queue))
	v := s.serviceOf(t, a.Limits)
	victim, status := s.admit(v)
	if status != OK && op.phase < noPlace { // otherwise it has failed already
		switch op.Status = status; {
		case status == More:
		case op.phase == staged:
			s.unstage(t, op)
		case op.phase == admitted:
			s.turnAway(op, status)
		}
		s.letGo(t)
		return
	}
	op.TTR = uint32((a.Limits.MaxIdle + second - 1) / second)
	s.putInto(now, t, op, a.Tags)
	if op.Status == OK && victim != 0 {
		s.evict(v, victim) // not sooner: the put might have been refused
	}
	s.letGo(t)
}

// admit says whether a queue takes one more item, and which item a full queue must drop
// for it.
func (s *State) admit(v *service) (victim uint64, _ Status) {
	switch {
	case v.ended:
		return 0, Ended
	case v.limits.MaxLength == 0 || s.lengthOfPair(v) < v.limits.MaxLength:
		return 0, OK
	case !v.limits.AutoEvict:
		return 0, TooLong
	case !s.whole(v):
		return 0, More
	}
	slot := s.oldestLoose(v)
	if slot == 0 {
		return 0, TooLong
	}
	return s.jobs.At(slot).id(), OK
}

// lengthOfPair counts the items of a queue and its rear queue.
func (s *State) lengthOfPair(v *service) int {
	n := v.tube.length()
	if t := s.tubes[v.pair]; t != nil {
		n += t.length()
	}
	return n
}
