package pace

import "sync/atomic"

// wakes counts the goroutines that have been woken by somebody who may run on an event loop.
var wakes atomic.Uint64

// Woke is called by whoever wakes a goroutine, or begins one, in a turn of a shard or for a commit. If that was on
// an event loop, the goroutine may wait for the loop's place among Go's; so the loop yields before it sleeps.
func Woke() { wakes.Add(1) }

// Wakes is how often Woke was called.
func Wakes() uint64 { return wakes.Load() }
