package shard

import (
	"errors"

	"beanfield/storage"
)

// A backlog may be larger than memory. With a log that gives bodies back,
// those that the budget has no room for are kept there only: the job's record
// says that its body is away, and an answer that shows it is held back until a
// reader has fetched it. The shard itself never waits for the disk.

// keepBody stores a new job's body, in memory if there is room.
func (s *State) keepBody(slot uint32, data []byte, parts [][]byte) {
	j := s.jobs.at(slot)
	if s.budget > 0 && j.size > 0 && s.inside+int64(j.size) > s.budget {
		j.place |= flagAway
		return
	}
	s.inside += int64(j.size)
	j.body = s.bodies.add(data, parts, int(j.size))
}

func (s *State) dropBody(j *job) {
	if j.away() {
		return
	}
	s.inside -= int64(j.size)
	s.bodies.drop(j.body, j.size)
}

// fetch reads the bodies that a turn's answers lack. It runs when the turn has
// been committed, so the log has them, in a goroutine of its own.
func (t *turn) fetch() {
	log := t.shard.state.log
	for _, b := range t.batches {
		if b.fetches == 0 {
			continue
		}
		b.fetches = 0
		op := &b.Ops[b.Next-1] // no other: the batch has stopped here
		if body, err := log.Body(op.ID, make([]byte, 0, op.Size)); err == nil {
			op.Parts = [][]byte{body}
		} else {
			b.unfetched(op, err)
		}
	}
	for i := range t.woken {
		w := &t.woken[i]
		if w.Fetch == 0 {
			continue
		}
		body, err := log.Body(w.Fetch, nil)
		w.body, w.lost = body, err != nil
	}
}

// fetchTries bounds how often a peek is repeated.
const fetchTries = 100

// unfetched deals with a body that could not be read. A job that was only
// looked at may have been deleted meanwhile: then the operation is given back
// as not yet applied. Done again it shows the next job of its kind, or finds
// none; and what it finds waits for the commit of that delete, which a reader
// of the log sees sooner (L1). A body that is missing time after time is lost,
// and so is one of a job that the client holds.
func (b *Batch) unfetched(op *Op, err error) {
	if errors.Is(err, storage.ErrNoBody) && op.phase < fetchTries {
		switch op.Kind {
		case Peek, PeekReady, PeekDelayed, PeekBuried:
			op.phase++
			b.Next--
			return
		}
	}
	op.Status = Failed
}
