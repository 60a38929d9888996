package beanstalk

import "sync/atomic"

// inbox takes connections that want to be served by their loop, from any
// goroutine. A connection is in it at most once: its queued flag ensures that.
type inbox struct {
	newest atomic.Pointer[Conn]
}

func (b *inbox) push(c *Conn) {
	for {
		old := b.newest.Load()
		c.next = old
		if b.newest.CompareAndSwap(old, c) {
			return
		}
	}
}

func (b *inbox) empty() bool { return b.newest.Load() == nil }

// swap takes everything out, oldest first.
func (b *inbox) swap() *Conn {
	var oldest *Conn
	for c := b.newest.Swap(nil); c != nil; {
		older := c.next
		c.next = oldest
		oldest, c = c, older
	}
	return oldest
}
