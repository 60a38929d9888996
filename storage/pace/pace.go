package pace

import "runtime"

// StepBack lets others have this processor: goroutines, and threads. It is for
// whoever works for long while clients wait. A commit changes goroutines four or five
// times, and threads where it sleeps in the kernel; with no other processor it would
// wait each time until Go's scheduler interferes with the one that works, after 10
// ms, or the kernel's, after about 3.
func StepBack() {
	yieldThread()
	runtime.Gosched()
}
