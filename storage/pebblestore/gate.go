package pebblestore

import (
	"context"
	"errors"
	"sync"
)

// errClosed says that a copy is closed, or that a checkpoint takes its place.
var errClosed = errors.New("storage: the copy is closed, or replaced")

// gate keeps those who read a copy and those who close it apart: who closes it has the readers end first.
type gate struct {
	mu      sync.Mutex
	closed  int
	readers map[*context.CancelFunc]struct{}
	left    chan struct{} // closed when the last reader has left
}

// enter begins to read, unless the copy is closed.
func (g *gate) enter(ctx context.Context) (_ context.Context, leave func(), ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed > 0 {
		return nil, nil, false
	}
	ctx, cancel := context.WithCancel(ctx)
	if len(g.readers) == 0 {
		g.readers, g.left = map[*context.CancelFunc]struct{}{}, make(chan struct{})
	}
	g.readers[&cancel] = struct{}{}
	return ctx, func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		cancel()
		if delete(g.readers, &cancel); len(g.readers) == 0 {
			close(g.left)
		}
	}, true
}

// shut has nobody read until what it returns is called.
func (g *gate) shut() (open func()) {
	g.mu.Lock()
	g.closed++
	var left chan struct{}
	if len(g.readers) > 0 {
		left = g.left
	}
	for cancel := range g.readers {
		(*cancel)()
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
