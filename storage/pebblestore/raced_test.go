//go:build race

package pebblestore

// brief says whether tests that repeat one scenario at hundreds of places take a part
// of them only. Under the race detector each place takes ten times as long and shows
// the same goroutines meeting, so a part is enough.
func brief() bool { return true }
