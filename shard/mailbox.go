package shard

import (
	"sync/atomic"

	"beanfield/shard/queue"
)

// mailbox takes batches from any goroutine and gives them, all at once and in
// the order of arrival, to the goroutine that runs the shard. Both ends are lock-free: a
// push is one compare-and-swap, a swap-out one exchange.
type mailbox struct {
	newest atomic.Pointer[queue.Batch]
}

func (m *mailbox) push(b *queue.Batch) {
	for {
		old := m.newest.Load()
		b.Link = old
		if m.newest.CompareAndSwap(old, b) {
			return
		}
	}
}

func (m *mailbox) empty() bool { return m.newest.Load() == nil }

// swap takes everything out and returns the oldest, linked to the newest.
func (m *mailbox) swap() *queue.Batch {
	var oldest *queue.Batch
	for b := m.newest.Swap(nil); b != nil; {
		older := b.Link
		b.Link = oldest
		oldest, b = b, older
	}
	return oldest
}
