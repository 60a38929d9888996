// Package tally has the counters of the metrics. One goroutine at a time writes a counter and
// any goroutine may read it, without a lock, an allocation or a lookup. The package imports no
// other of the server, because event loops, shards and logs all use it.
package tally
