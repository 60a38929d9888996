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
	staged  = iota + 1 // the log has the body
	noPlace            // it had no room
	lost               // it has failed
)

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
