package router

import "sync/atomic"

// gate is the waiter's word. It holds the ticket of the wait that is on, or 0.
// A wait ends by one compare-and-swap from its ticket to 0: a shard's, which
// then delivers, or the session's own, on timeout or hang-up (R1). Tickets
// are never used twice, so a shard that comes late with an old one loses.
type gate struct {
	word atomic.Uint64
	last uint64 // the latest ticket; touched only by the session, when it arms
	// waits counts the waits that are on, of many gates. The side that ends a
	// wait subtracts it, so that it is gone from stats when its job is reserved.
	waits *atomic.Int64
}

func (g *gate) arm() uint64 {
	g.last++
	g.waits.Add(1)
	g.word.Store(g.last)
	return g.last
}

// claim ends the wait with that ticket, if it is on. A caller that has ended it
// calls out next.
func (g *gate) claim(ticket uint64) bool { return g.word.CompareAndSwap(ticket, 0) }

// out counts a wait that has ended.
func (g *gate) out() { g.waits.Add(-1) }

// holds says whether the wait with that ticket is on.
func (g *gate) holds(ticket uint64) bool { return g.word.Load() == ticket }
