package nodes

import (
	"sync"
	"time"
)

// A gate is what the bytes of one direction of a link go through, whichever connection they belong to.
type gate struct {
	mu      sync.Mutex
	shut    bool
	delay   time.Duration
	changed chan struct{} // closed when the gate opens
}

func newGate() *gate { return &gate{changed: make(chan struct{})} }

func (g *gate) hold() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.shut = true
}

// free opens the gate: what has been held goes on.
func (g *gate) free() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.shut {
		g.shut = false
		close(g.changed)
		g.changed = make(chan struct{})
	}
}

// harmed tells whether bytes are held, or late.
func (g *gate) harmed() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.shut || g.delay > 0
}

func (g *gate) slow(d time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.delay = d
}

// due is when bytes may go on that come now.
func (g *gate) due() time.Time {
	g.mu.Lock()
	defer g.mu.Unlock()
	return time.Now().Add(g.delay)
}

// pass waits until the gate is open; it returns false if the connection has ended before.
func (g *gate) pass(ended <-chan struct{}) bool {
	for {
		g.mu.Lock()
		shut, changed := g.shut, g.changed
		g.mu.Unlock()
		if !shut {
			return true
		}
		select {
		case <-changed:
		case <-ended:
			return false
		}
	}
}
