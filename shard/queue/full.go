package queue

// A policy bounds how many jobs a tube has, and how large they are together. A put beyond
// that is refused, or ready jobs are dropped for it. What comes otherwise, as dead letters of
// another tube do, is not refused, and what is there already when a reload lowers a bound stays
// until the next put.

// over says that a tube would have too many jobs, or too large ones.
func (p *Policy) over(jobs int, bytes int64) bool {
	return p.MaxJobs > 0 && jobs > p.MaxJobs || p.MaxBytes > 0 && bytes > p.MaxBytes ||
		p.MaxMemory > 0 && bytes+JobMemory*int64(jobs) > p.MaxMemory
}

// fits says whether a tube takes another job, if need be instead of ready ones. While it does
// not know all of those, it may.
func (s *State) fits(t *tube, size uint32) bool {
	p := t.policy
	jobs, bytes := t.count+1, t.bytes+int64(size)
	switch {
	case !p.over(jobs, bytes):
		return true
	case p.victims == nil:
		return false
	case !s.ranked(t):
		return !p.over(1, int64(size))
	}
	return !p.over(jobs-int(p.victims.heap.N), bytes-p.victims.bytes)
}

// makeRoom drops ready jobs of a full tube for a put that has been accepted. It reports false
// if the put ends here, or if there are more of them than a turn can end.
func (s *State) makeRoom(t *tube, op *Op) bool {
	for dropped := 0; t.policy.over(t.count+1, t.bytes+int64(op.Size)); dropped++ {
		switch {
		case !s.fits(t, op.Size):
			s.did(t, DeedRefuse)
			s.refusePut(t, op)
			return false
		case dropped > 0 && s.spent(), !s.ranked(t): // one at least, whatever this turn has done before
			if op.Status = More; op.phase == 0 {
				op.phase = admitted
			}
			return false
		}
		s.spend(ending)
		s.did(t, DeedDrop)
		t.using++ // it must not end with its last job
		s.drop(t.policy.victims.heap.Top().Slot)
		t.using--
	}
	return true
}

// refusePut ends a put for which there is no room, whatever has been done for it.
func (s *State) refusePut(t *tube, op *Op) {
	op.Status = NoRoom
	if op.Kind == Service {
		op.Status = TooLong
	}
	switch {
	case op.phase == staged:
		s.unstage(t, op)
	case op.ID != 0:
		s.turnAway(op, op.Status)
	}
}
