package queue

// pause stops a tube from being served for op.Delay seconds. A length of 0
// ends a pause.
func (s *State) pause(op *Op) {
	t := s.tubes[string(op.Data)]
	if t == nil {
		op.Status = NotFound
		return
	}
	op.Status, op.Tube = OK, t.name
	t.pauses++
	if op.Delay == 0 {
		s.unpause(t)
		s.serveOpening()
		return
	}
	t.pauseLen = int64(op.Delay)
	t.pausedUntil = s.now + int64(op.Delay)*second
	s.retime(t)
	if t.opening {
		s.reopen(t)
	}
}

// unpause ends a tube's pause. The tube opens when those who wait have been
// served.
func (s *State) unpause(t *tube) {
	t.pauseLen, t.pausedUntil = 0, 0
	s.retime(t)
	t.opening = true
	s.reopen(t)
	if t.service != nil {
		t.service.tubeOpens(s)
	}
}

// reopen moves a tube that is opening to where its best job belongs among the
// others. With no waiter or no job left it is open, or shut again.
func (s *State) reopen(t *tube) {
	if !t.paused() && !t.throttled() && t.ready.N > 0 && s.firstWaiter(t, s.sought()) != nil {
		key := s.head(t)
		key.Slot = t.slot
		s.opening.Put(key)
		return
	}
	s.opening.Schedule(t.slot, 0)
	t.opening = false
	s.tell(t)
	if t.service != nil {
		t.service.tubeOpened(s)
	}
}

// wakes bounds how many waiters are served at once when pauses end: each costs
// its loop a write, which takes ten times as long as to move a job.
const wakes = 64

// serveOpening serves the waiters of the tubes whose pause has ended: always
// the best job of all of them first. A tube that is not open after that, because
// many wait, stays shut for other clients until a later turn has served the rest: a
// new client joins the queue.
func (s *State) serveOpening() {
	for n := 0; n < wakes && s.opening.N > 0 && !s.spent(); n++ {
		t := s.tubeAt.Get(s.opening.Top().Slot)
		s.spend(moving)
		if c := s.firstWaiter(t, s.sought()); c != nil {
			s.serve(c, t)
		}
		if t.opening {
			s.reopen(t)
		}
	}
}
