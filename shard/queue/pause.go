package queue

// pause stops a tube from being served for op.Delay seconds. A length of 0
// ends a pause.
func (s *State) pause(now int64, op *Op) {
	t := s.tubes[string(op.Data)]
	if t == nil {
		op.Status = NotFound
		return
	}
	op.Status = OK
	t.pauses++
	if op.Delay == 0 {
		s.unpause(t)
		s.serveOpening(now, Slice)
		return
	}
	t.pauseLen = int64(op.Delay)
	t.pausedUntil = now + int64(op.Delay)*second
	s.retime(t)
}

// unpause ends a tube's pause. It opens when those who wait have been served.
func (s *State) unpause(t *tube) {
	t.pauseLen, t.pausedUntil = 0, 0
	s.retime(t)
	if !t.opening {
		t.opening = true
		s.opening = append(s.opening, t)
	}
}

// serveOpening serves the waiters of the tubes whose pause has ended: always
// the best job of all of them first. A tube that has no waiter or no job left
// is open. One that is not yet, because many wait, stays shut for everybody
// else until a later turn comes to its end: a newcomer joins the queue.
func (s *State) serveOpening(now int64, budget int) {
	budget = min(budget, wakes)
	for budget > 0 && len(s.opening) > 0 {
		budget -= 1 + len(s.opening)/64 // looking at them all takes its time too
		var best *tube
		for i := 0; i < len(s.opening); {
			t := s.opening[i]
			if t.pausedUntil != 0 || t.waiters.head == nil || t.ready.n == 0 {
				t.opening = false
				last := len(s.opening) - 1
				s.opening[i], s.opening[last] = s.opening[last], nil
				s.opening = s.opening[:last]
				continue
			}
			if best == nil || t.ready.top().before(best.ready.top()) {
				best = t
			}
			i++
		}
		if best != nil {
			s.serve(now, best)
		}
	}
}
