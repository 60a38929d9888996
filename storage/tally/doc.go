// Package tally has the counters of the metrics. One goroutine at a time writes a counter and
// any goroutine may read it, without a lock, an allocation or a lookup. The package is below
// all others, because event loops, shards and logs all count.
package tally
