// Package pace lets goroutines that work for long yield to others. It is below all
// other packages, because event loops, shards and logs all need it.
package pace
