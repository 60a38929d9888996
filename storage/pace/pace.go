package pace

import "runtime"

// StepBack lets other goroutines and other threads have this processor. It is for code
// that works for long while clients wait. A commit changes goroutines up to five times,
// and threads where it sleeps in the kernel. Without a free processor it would wait each
// time until a scheduler interrupts the long work: Go's after 10 ms, the kernel's after
// about 3.
func StepBack() {
	for _, s := range sleeping() {
		s.Look()
	}
	yieldThread()
	runtime.Gosched()
}
