package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// garbage is how much of it the heap may hold before it is collected. Go's own
// rule, as much as there is live data, wastes half of the memory of a large
// backlog. But that backlog has no pointers, so collecting costs hardly more
// than with a small heap, and a few percent of the live data are enough; small
// heaps get a fixed room, or they would be collected all the time.
type garbage struct {
	percent int
	room    int64 // bytes
}

// smallestHeap is what the percentage is reckoned from at least.
const smallestHeap = 4 << 20

// bound keeps the collector to that rule, cycle by cycle. Who sets GOGC in the
// environment decides for himself.
func (g garbage) bound() {
	if os.Getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(g.percentage(0))
	g.watchCycles()
}

// percentage is the setting for a heap with so many bytes of live data.
func (g garbage) percentage(live uint64) int {
	return max(1, g.percent, int(uint64(g.room)*100/max(live, smallestHeap)))
}

// watchCycles looks after every collection how large the heap is: an object
// that nobody holds is cleaned up once a cycle.
func (g garbage) watchCycles() {
	sentinel := new(*int)
	runtime.AddCleanup(sentinel, func(struct{}) {
		debug.SetGCPercent(g.percentage(liveHeap()))
		g.watchCycles()
	}, struct{}{})
}

// liveHeap is what the last collection found alive.
func liveHeap() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
