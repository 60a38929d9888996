// Package stack has the one way in which goroutines hand each other things here without a lock:
// any of them pushes, with one compare-and-swap, and one takes out everything, with one exchange.
package stack
