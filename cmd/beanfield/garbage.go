package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
	"time"

	"beanfield/cmd/beanfield/config"
)

// garbage is how much of it the heap may hold before it is collected. Go's default
// is as much garbage as live data, which wastes half of the memory of a large
// backlog. But a backlog has no pointers, so a collection costs hardly more than
// with a small heap, and garbage of a few percent is enough. Small heaps get a fixed
// room: a few percent of almost nothing would keep the collector running.
//
// Data with pointers is another matter: the collector has to look at all of it, and
// meanwhile every goroutine that allocates must do a part of that work: the less room
// there is, the larger a part. With 130 MB of tubes, one command spent up to 9 ms on it.
// So the room is at least as large as the data with pointers, as with Go's default.
type garbage struct {
	percent int
	room    int64 // bytes
}

// garbageOf is the rule of a configuration.
func garbageOf(c *config.Config) garbage {
	return garbage{c.Memory.GarbagePercent, c.Memory.GarbageRoom}
}

// A node that follows has less room: no client waits for it, and more than half of what is live are the engine's
// blocks, which come and go. It has followerRoom, or as much as it allocates in followerEach, if that is more: each
// record that it takes leaves ten copies, and under load the collector would run for a fifth of the time.
const (
	followerRoom = 8 << 20
	followerEach = time.Second / 4
)

// smallestHeap is the least live data that the percentage is computed from.
const smallestHeap = 4 << 20

// bounds is the rule that holds now.
type bounds struct {
	current atomic.Pointer[garbage]
	follows atomic.Bool
	needs   atomic.Int64 // bytes that are allocated in followerEach
}

// bound applies the rule after each collection. If GOGC is set in the environment, it does
// nothing: then the user has chosen.
func (g garbage) bound() *bounds {
	b := &bounds{}
	b.current.Store(&g)
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(g.percentage(0, 0))
		b.watchCycles(time.Now(), 0)
	}
	return b
}

// replace has another rule apply from the next collection on.
func (b *bounds) replace(g garbage) { b.current.Store(&g) }

// follow says whether this is a node that follows. That too applies from the next collection on.
func (b *bounds) follow(yes bool) { b.follows.Store(yes) }

// rule is what applies now.
func (b *bounds) rule() garbage {
	g := *b.current.Load()
	if b.follows.Load() {
		g.room = min(g.room, max(followerRoom, b.needs.Load()))
	}
	return g
}

// percentage is what GOGC should be with live bytes of data in use, of which the collector
// has to look at scanned bytes.
func (g garbage) percentage(live, scanned uint64) int {
	room := max(uint64(g.room), scanned)
	return max(1, g.percent, int(room*100/max(live, smallestHeap)))
}

// watchCycles sets the percentage again after the next collection, and so on. It
// knows that there was one because the cleanup of an unreachable object runs. It is told when the
// one before was, and how many bytes had been allocated then.
func (b *bounds) watchCycles(last time.Time, before uint64) {
	sentinel := new(*int)
	runtime.AddCleanup(sentinel, func(struct{}) {
		live, scanned, allocated := heapSize()
		now := time.Now()
		b.needs.Store(int64(float64(allocated-before) * float64(followerEach) / float64(max(1, now.Sub(last)))))
		debug.SetGCPercent(b.rule().percentage(live, scanned))
		b.watchCycles(now, allocated)
	}, struct{}{})
}

// heapSize is how many bytes the last collection found in use, how many the next one
// has to look at, and how many have ever been allocated.
func heapSize() (live, scanned, allocated uint64) {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/gc/scan/heap:bytes"},
		{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64(), sample[1].Value.Uint64(), sample[2].Value.Uint64()
}
