package shard

import (
	"errors"

	"beanfield/storage"
)

// The log writes a large body before its job is put, which may take seconds. A put
// that has one is applied twice: it begins, and its batch leaves the turn with
// Staging; when the log has the body, or cannot take it, the batch comes back as
// any that was not finished.

// How far a put with a large body has come.
const (
	staged  = iota + 1 // the log has the body
	noPlace            // it had no room
	lost               // it has failed
)

// stage waits for the body of the operation that a batch stands at.
type stage struct {
	shard *Shard
	batch *Batch
}

// Committed implements storage.Ack.
func (s *stage) Committed(err error) {
	op := &s.batch.Ops[s.batch.Next]
	switch {
	case err == nil:
		op.phase = staged
	case errors.Is(err, storage.ErrNoSpace):
		op.phase = noPlace
	default:
		op.phase = lost
	}
	s.shard.proceed(s.batch)
}
