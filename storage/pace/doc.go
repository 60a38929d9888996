// Package pace lets goroutines that work for long make way for others. It stands
// below everything else, because event loops, shards and logs all need it.
package pace
