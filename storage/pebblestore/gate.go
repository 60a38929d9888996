package pebblestore

import (
	"context"
	"sync"
)

// gate keeps those who read a copy and those who close it apart: one reader at a time, whom who closes it
// has end first.
type gate struct {
	mu     sync.Mutex
	closed int
	cancel context.CancelFunc // nil while nobody reads
	left   chan struct{}
}

// enter begins to read, unless it cannot be now.
func (g *gate) enter(ctx context.Context) (_ context.Context, leave func(), ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed > 0 || g.cancel != nil {
		return nil, nil, false
	}
	ctx, g.cancel = context.WithCancel(ctx)
	g.left = make(chan struct{})
	return ctx, g.leave, true
}

func (g *gate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.cancel()
	g.cancel = nil
	close(g.left)
}

// shut has nobody read until what it returns is called.
func (g *gate) shut() (open func()) {
	g.mu.Lock()
	g.closed++
	left := g.left
	if g.cancel == nil {
		left = nil
	} else {
		g.cancel()
	}
	g.mu.Unlock()
	if left != nil {
		<-left
	}
	return func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.closed--
	}
}
