package httpfront

import (
	"net"
	"sync"
)

// arrivals is a listener made of connections that have arrived already: package net/http
// accepts them from it.
type arrivals struct {
	mu     sync.Mutex
	come   sync.Cond
	queue  []net.Conn
	closed bool
}

// newArrivals makes a listener to which nobody has come.
func newArrivals() *arrivals {
	a := &arrivals{}
	a.come.L = &a.mu
	return a
}

// add lets Accept return a connection, unless the listener has been closed. It does not
// block.
func (a *arrivals) add(c net.Conn) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return false
	}
	a.queue = append(a.queue, c)
	a.come.Signal()
	return true
}

// Accept implements net.Listener.
func (a *arrivals) Accept() (net.Conn, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for len(a.queue) == 0 {
		if a.closed {
			return nil, net.ErrClosed
		}
		a.come.Wait()
	}
	c := a.queue[0]
	a.queue[0] = nil
	a.queue = a.queue[1:]
	return c, nil
}

// Close implements net.Listener. Connections that have come are still accepted.
func (a *arrivals) Close() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.closed = true
	a.come.Broadcast()
	return nil
}

// Addr implements net.Listener.
func (a *arrivals) Addr() net.Addr { return &net.UnixAddr{Name: "beanfield", Net: "unix"} }
