package transfer

import "time"

// flow decides how many chunks are under way. They wait in queues that beats and records go
// through, too: on a slow link a full window would hold those up for longer than a lease lasts.
type flow struct {
	width uint64
	asked [window]time.Time // when each chunk under way was asked for first, by its number
	took  time.Duration     // how long chunks are under way
	base  time.Duration     // how long the quickest was: so far it is
}

const (
	// slow is how long a chunk may wait for those before it.
	slow = 80 * time.Millisecond
	// least keeps a link busy while the receiver asks for the next one.
	least = 2
)

func newFlow() flow { return flow{width: 2 * least} } // so the first ones wait for few

func (f *flow) asks(number uint64, now time.Time) { f.asked[number%window] = now }

// came changes the width by how long a chunk was under way.
func (f *flow) came(number uint64, now time.Time) {
	took := now.Sub(f.asked[number%window])
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

// again is how long a receiver waits until it asks again. To ask for what is still under way would make
// the link slower.
func (f *flow) again(silence time.Duration) time.Duration {
	return min(max(3*f.took, silence/patience), 2*silence/patience)
}
