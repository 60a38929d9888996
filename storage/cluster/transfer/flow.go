package transfer

import "time"

// flow decides how many chunks are under way. They wait in queues that beats and records go
// through, too: on a slow link a full window would hold those up for longer than a lease lasts.
type flow struct {
	width uint64
	took  time.Duration // how long chunks are under way
	base  time.Duration // how long the quickest was: so far it is
}

const (
	// slow is how long a chunk may wait for those before it.
	slow = 80 * time.Millisecond
	// least keeps a link busy while the receiver asks for the next one.
	least = 2
	// soon is when a receiver asks again.
	soon = Silence / 20
)

func newFlow() flow { return flow{width: 2 * least} } // so the first ones wait for few

// came changes the width by how long a chunk was under way.
func (f *flow) came(took time.Duration) {
	f.took = max(took, f.took*7/8)
	if f.base == 0 || took < f.base {
		f.base = took
	}
	switch {
	case took > f.base+slow:
		f.width = max(least, f.width/2)
	case took < f.base+slow/2:
		f.width = min(window, f.width+1)
	}
}
