package queue

import (
	"errors"

	"beanfield/storage"
)

// A backlog may be larger than memory. With a log that gives bodies back,
// those that the budget has no room for are kept there only: the job's record
// says that its body is away, and a batch stops after the answer that lacks
// it. The goroutine that runs the queue has the body read and calls Supply before the
// answer leaves. The queue itself never waits for the disk.

// overBudget says that there is no room in memory for one more body.
func (s *State) overBudget(size uint32) bool {
	return s.Budget > 0 && size > 0 && s.inside+int64(size) > s.Budget
}

// keepBody stores a new job's body in memory, or leaves it away, as overBudget has said.
func (s *State) keepBody(slot uint32, away bool, data []byte, parts [][]byte) {
	j := s.job(slot)
	if away {
		j.place |= flagAway
		s.outside += int64(j.size)
		return
	}
	s.inside += int64(j.size)
	j.body = s.bodies.Add(data, parts, int(j.size))
}

func (s *State) dropBody(j *job) {
	if j.away() {
		s.outside -= int64(j.size)
		return
	}
	s.inside -= int64(j.size)
	s.bodies.Drop(j.body, j.size)
}

// fetchTries bounds how often a peek is repeated.
const fetchTries = 100

// Lacking is the operation whose answer still lacks the job's body, or nil. Run
// has stopped after it.
func (b *Batch) Lacking() *Op {
	if !b.lacking {
		return nil
	}
	return &b.Ops[b.Next-1]
}

// Supply completes the answer that lacks its body with what has been read from
// the log, or with the error of that. It reports whether the job is to be
// quarantined; the caller must then do that before the batch goes on.
//
// There are three reasons why a body could not be read. A job that was only peeked
// at may have been deleted meanwhile: then the operation is given back as not yet
// applied. Applied again it shows the next job of its kind, or finds none; and that
// answer waits for the commit of the delete, which a reader of the log sees sooner
// (L1). If the body is unreadable, or lost while a client holds the job, the job is
// quarantined: a reserve, or a peek without an id, is given back too, and finds the
// next job. Otherwise the log has failed, and so has the operation.
func (b *Batch) Supply(body []byte, err error) (quarantine bool) {
	op := b.Lacking()
	b.lacking = false
	if err == nil {
		op.Parts = [][]byte{body}
		return false
	}
	gone := errors.Is(err, storage.ErrNoBody)
	quarantine = errors.Is(err, storage.ErrUnreadable)
	again := false
	switch op.Kind {
	case Peek, PeekBuried:
		again = gone
	case PeekReady, PeekDelayed:
		again = gone || quarantine
	case Reserve, Claim, ReserveSeveral, ClaimSeveral:
		quarantine = quarantine || gone
		again = quarantine
	default: // ReserveJob
		quarantine = quarantine || gone
	}
	switch {
	case !again || op.phase >= fetchTries:
		op.Status = Failed
	case op.Kind == Claim, op.Kind == ClaimSeveral:
		op.Status = Empty // then others are asked too
	default:
		op.Count = 0
		op.phase++
		b.Next--
	}
	return quarantine
}

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
func (s *State) quarantine(b *Batch, op *Op) Status { return s.setAside(b.Client, op.ID) }

func (s *State) setAside(c *Client, id uint64) Status {
	slot := s.jobNamed(id)
	if slot == 0 || s.quarantined[slot] {
		return NotFound
	}
	state := s.job(slot).state()
	if state == Reserved && !s.holds(c, slot) {
		return NotFound
	}
	if state != Buried { // one that is keeps its place
		s.unplace(slot)
		s.makeBuried(slot)
		s.seen(slot)
	}
	s.markQuarantined(slot)
	s.logQuarantine(slot)
	return OK
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
