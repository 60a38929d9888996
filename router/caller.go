package router

import (
	"sync/atomic"

	"beanfield/storage/pace"
)

// Caller is a session whose owner is one goroutine, which waits until each call is complete.
type Caller struct {
	Session
	bell  chan struct{}
	waits atomic.Int64
}

// Enter makes the caller ready: Open may follow, or only calls that need no tube.
func (c *Caller) Enter(r *Router) {
	c.bell = make(chan struct{}, 1)
	c.Init(r, c, &c.waits)
}

// Notify implements Owner. A bell that has been rung already is enough.
func (c *Caller) Notify() {
	select {
	case c.bell <- struct{}{}:
		pace.Woke()
	default:
	}
}

// Finish waits until the call that has just begun is complete.
func (c *Caller) Finish(done bool) {
	for !done {
		<-c.bell
		done = c.Resume()
	}
}
