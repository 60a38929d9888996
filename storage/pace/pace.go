package pace

import (
	"runtime"
	"time"
)

// StepBack lets other goroutines and other threads have this processor. It is for code
// that works for long while clients wait. A commit changes goroutines up to five times,
// and threads where it sleeps in the kernel. Without a free processor it would wait each
// time until a scheduler interrupts the long work: Go's after 10 ms, the kernel's after
// about 3.
func StepBack() {
	yieldThread()
	runtime.Gosched()
}

// A Stretch is long work that steps back once a millisecond. More often would starve it:
// beside busy clients each step back takes as long as they have work.
type Stretch struct{ since time.Time }

// Begin begins the work.
func Begin() Stretch { return Stretch{time.Now()} }

// Step is called between its parts.
func (s *Stretch) Step() {
	if time.Since(s.since) > time.Millisecond {
		StepBack()
		s.since = time.Now()
	}
}
