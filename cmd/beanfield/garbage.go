package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// How much garbage the heap may hold before it is collected. Go's own rule, as
// much as there is live data, wastes half of the memory of a large backlog. But
// that backlog has no pointers, so collecting costs hardly more than with a
// small heap, and a twenty-fifth of the live data is enough; small heaps get a fixed
// room, or they would be collected all the time.
const (
	garbageRoom    = 32 << 20
	garbagePercent = 4
	smallestHeap   = 4 << 20 // what the percentage is reckoned from at least
)

// boundGarbage keeps the collector to that rule, cycle by cycle. Who sets GOGC
// in the environment decides for himself.
func boundGarbage() {
	if os.Getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(gcPercent(0))
	watchCycles()
}

// gcPercent is the setting for a heap with so many bytes of live data.
func gcPercent(live uint64) int {
	return max(garbagePercent, int(garbageRoom*100/max(live, smallestHeap)))
}

// watchCycles looks after every collection how large the heap is: an object
// that nobody holds is cleaned up once a cycle.
func watchCycles() {
	sentinel := new(*int)
	runtime.AddCleanup(sentinel, func(struct{}) {
		debug.SetGCPercent(gcPercent(liveHeap()))
		watchCycles()
	}, struct{}{})
}

// liveHeap is what the last collection found alive.
func liveHeap() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
