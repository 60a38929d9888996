package router

import "sync/atomic"

// gate is the waiter's word. It holds the ticket of the wait that is on, or 0.
// A wait ends by one compare-and-swap from its ticket to 0: a shard's, which
// then delivers, or the session's own, on timeout or hang-up (R1). Tickets
// are never used twice, so a shard that comes late with an old one loses.
type gate struct {
	word atomic.Uint64
	last uint64 // the latest ticket; touched only by whoever arms
}

func (g *gate) arm() uint64 {
	g.last++
	g.word.Store(g.last)
	return g.last
}

func (g *gate) claim(ticket uint64) bool { return g.word.CompareAndSwap(ticket, 0) }
