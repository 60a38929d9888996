//go:build race

package lanes

// brief says whether random tests try few seeds. What they test is arithmetic in one goroutine, in which
// the race detector can find nothing, and takes ten times as long.
func brief() bool { return true }
