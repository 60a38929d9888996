// Package tally counts for the metrics. What it has is written by one goroutine at a time
// and read by any, without a lock, an allocation or a lookup. It is below all other
// packages, because event loops, shards and logs all count.
package tally
