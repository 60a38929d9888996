package queue

// askPut makes an item.
func (s *State) askPut(op *Op) {
	a := op.Ask
	t := s.tubeNamed([]byte(a.Queue))
	if v := s.serviceOf(t, a.Limits); v.ended && op.phase < noPlace { // otherwise it has failed already
		s.endPut(t, op, Ended)
	} else {
		op.TTR = uint32((a.Limits.MaxIdle + second - 1) / second)
		s.putInto(nil, t, op, a.Tags)
	}
	s.letGo(t)
}

// countOfPair counts the jobs of a queue and its rear queue.
func (s *State) countOfPair(v *service) int {
	n := v.tube.count
	if t := s.tubes[v.pair]; t != nil {
		n += t.count
	}
	return n
}
