package shard

import (
	"errors"

	"beanfield/shard/queue"
	"beanfield/storage"
)

// fetch reads the bodies that a turn's answers lack. It runs when the turn has
// been committed, so the log has them, in a goroutine of its own: the shard
// itself never waits for the disk.
func (t *turn) fetch() {
	read := func(id uint64, size uint32) ([]byte, error) { return t.shard.log.Body(id, make([]byte, 0, size)) }
	for _, b := range t.batches {
		if b.Lacking() {
			for _, id := range b.Supply(read) {
				t.shard.quarantine(id, b.Client)
			}
		}
	}
	for i := range t.woken {
		if w := &t.woken[i]; w.Fetch != 0 {
			body, err := read(w.Fetch, 0)
			w.Body, w.Lost = body, err != nil
			if errors.Is(err, storage.ErrUnreadable) || errors.Is(err, storage.ErrNoBody) {
				t.shard.quarantine(w.Fetch, w.Client)
			}
		}
	}
	for _, p := range t.deliveries {
		if p.Lacking() {
			b := p.Fetch(read)
			b.Done = unheard{}
			t.fetched = append(t.fetched, b)
		}
	}
}

// quarantine has a job whose body could not be read buried, out of the workers' way.
// The batch is in the mailbox before the client is answered, so whatever the client
// asks next is applied after it, and does not meet that job again.
func (sh *Shard) quarantine(id uint64, c *queue.Client) {
	sh.proceed(&queue.Batch{Client: c, Ops: []queue.Op{{Kind: queue.Quarantine, ID: id}}, Done: unheard{}})
}

// unheard is the Done of batches whose end nobody waits for.
type unheard struct{}

func (unheard) Complete(*queue.Batch) {}
