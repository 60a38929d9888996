package shard

import "sync/atomic"

// mailbox takes batches from any goroutine and gives them, all at once and in
// the order of arrival, to whoever runs the shard. Both ends are lock-free: a
// push is one compare-and-swap, a swap-out one exchange.
type mailbox struct {
	newest atomic.Pointer[Batch]
}

func (m *mailbox) push(b *Batch) {
	for {
		old := m.newest.Load()
		b.next = old
		if m.newest.CompareAndSwap(old, b) {
			return
		}
	}
}

func (m *mailbox) empty() bool { return m.newest.Load() == nil }

// swap takes everything out and returns the oldest, linked to the newest.
func (m *mailbox) swap() *Batch {
	var oldest *Batch
	for b := m.newest.Swap(nil); b != nil; {
		older := b.next
		b.next = oldest
		oldest, b = b, older
	}
	return oldest
}
