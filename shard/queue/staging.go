package queue

import (
	"errors"

	"beanfield/storage"
)

// The log writes a large body before its job is put, which may take seconds. A
// put that has one is applied twice: first it begins, takes its id and ends with
// Staging. The goroutine that runs the queue gives the body to the log, calls Staged,
// and applies the put again.

// How far a put with a large body has come.
const (
	staged   = iota + 1 // the log has the body
	admitted            // it has none to stage, and room is being made in its tube
	claimed             // it has none to stage, its id and its place
	placed              // it has its place among the server's, and nothing else yet (policy_room.go)
	noPlace             // the log had no room
	lost                // it has failed
)

// unstage ends a put whose body the log has, because the tube has filled up or the queue has ended
// meanwhile. Only a record of the job leads the log to the body.
func (s *State) unstage(t *tube, op *Op) {
	s.record = storage.Job{ID: op.ID, Tube: t.name, State: storage.Ready, Size: op.Size}
	s.Log.Put(&s.record)
	s.Log.Delete(&s.record)
	s.turnAway(op, op.Status)
}

// Staged notes how the log fared with the body of a put.
func (op *Op) Staged(err error) {
	switch {
	case err == nil:
		op.phase = staged
	case errors.Is(err, storage.ErrNoSpace):
		op.phase = noPlace
	default:
		op.phase = lost
	}
}
