package shard

// fetch reads the bodies that a turn's answers lack. It runs when the turn has
// been committed, so the log has them, in a goroutine of its own: the shard
// itself never waits for the disk.
func (t *turn) fetch() {
	log := t.shard.log
	for _, b := range t.batches {
		if op := b.Lacking(); op != nil {
			b.Supply(log.Body(op.ID, make([]byte, 0, op.Size)))
		}
	}
	for i := range t.woken {
		if w := &t.woken[i]; w.Fetch != 0 {
			body, err := log.Body(w.Fetch, nil)
			w.Body, w.Lost = body, err != nil
		}
	}
}
