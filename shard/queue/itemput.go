package queue

// askPut makes an item.
func (s *State) askPut(now int64, op *Op) {
	a := op.Ask
	t := s.tubeNamed([]byte(a.Queue))
	v := s.serviceOf(t, a.Limits)
	if op.phase == 0 { // otherwise it has its id already
		if op.Status = s.admit(v); op.Status != OK {
			s.letGo(t)
			return
		}
	}
	op.TTR = uint32((a.Limits.MaxIdle + second - 1) / second)
	s.putInto(now, t, op, a.Tags)
	if op.Status != OK {
		s.letGo(t)
	}
}

// admit says whether a queue takes one more item. A full one may drop one for it.
func (s *State) admit(v *service) Status {
	switch {
	case v.ended:
		return Ended
	case v.limits.MaxLength == 0 || s.lengthOfPair(v) < v.limits.MaxLength:
		return OK
	case !v.limits.AutoEvict:
		return TooLong
	}
	switch done, more := s.evict(v); {
	case more:
		return More
	case done:
		return OK
	}
	return TooLong
}

// lengthOfPair counts the items of a queue and its rear queue.
func (s *State) lengthOfPair(v *service) int {
	n := v.tube.length()
	if t := s.tubes[v.pair]; t != nil {
		n += t.length()
	}
	return n
}
