package router

import "sync/atomic"

// gate is the waiter's word. It holds the ticket of the wait that is on, or 0.
// A wait ends by one compare-and-swap from its ticket to 0: a shard's, which
// then delivers, or the session's own, on timeout or hang-up (R1). Tickets
// are never used twice, so a shard that comes late with an old one loses.
type gate struct {
	word atomic.Uint64
	last uint64 // the latest ticket; touched only by whoever arms
	// waits counts the waits that are on, of many gates. Whoever ends a wait
	// counts it out, so that it is gone from stats when its job is reserved.
	waits *atomic.Int64
}

func (g *gate) arm() uint64 {
	g.last++
	g.waits.Add(1)
	g.word.Store(g.last)
	return g.last
}

func (g *gate) claim(ticket uint64) bool {
	if !g.word.CompareAndSwap(ticket, 0) {
		return false
	}
	g.waits.Add(-1)
	return true
}

// cancel ends the latest wait, if it is still on.
func (g *gate) cancel() bool { return g.last != 0 && g.claim(g.last) }

// holds says whether the wait with that ticket is on.
func (g *gate) holds(ticket uint64) bool { return g.word.Load() == ticket }
