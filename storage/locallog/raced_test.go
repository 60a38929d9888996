//go:build race

package locallog

// raced says that the race detector is on: everything takes ten times longer,
// and tests of one goroutine gain nothing by it.
const raced = true
