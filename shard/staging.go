package shard

import "beanfield/shard/queue"

// stage waits until the log has the body of the put that a batch stands at, or
// has failed to take it. Then the batch comes back like any that was not finished.
type stage struct {
	shard *Shard
	batch *queue.Batch
}

// Committed implements storage.Ack.
func (s *stage) Committed(err error) {
	s.batch.Ops[s.batch.Next].Staged(err)
	s.shard.proceed(s.batch)
}
