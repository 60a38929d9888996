package queue

// A body that is away may turn out to be unreadable: a sector is bad, or a
// checksum is wrong. That must not stop the other jobs. The goroutine that runs the
// queue applies Quarantine, and the job is buried: out of the workers' way, visible to
// clients that look for buried jobs, counted as damaged until it is no longer buried,
// and deletable. A kick makes workers try it again.
//
// The log keeps it as a buried job; the damage is found again whenever the body is
// read.

// quarantine buries a job of which a client was to get the body. One that another
// client holds is left alone: that client may have the body.
func (s *State) quarantine(c *Client, op *Op) {
	op.Status = NotFound
	slot := s.jobNamed(op.ID)
	if slot == 0 || s.quarantined[slot] {
		return
	}
	j := s.job(slot)
	state := j.state()
	if state == Reserved && (c == nil || s.rare(j).holder != c.slot) {
		return
	}
	op.Status = OK
	if state != Buried { // one that is keeps its place
		s.unplace(slot)
		s.makeBuried(slot)
		s.seen(slot)
	}
	s.markQuarantined(slot)
	s.logQuarantine(slot)
}

// buryDamaged buries a job, which is in no place, because its body cannot be read.
func (s *State) buryDamaged(slot uint32) {
	s.makeBuried(slot)
	s.markQuarantined(slot)
	s.logQuarantine(slot)
}

func (s *State) markQuarantined(slot uint32) {
	s.quarantined[slot] = true
	s.totals.Damaged++
}
