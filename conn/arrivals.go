package conn

import (
	"net"
	"sync"
)

// Arrivals is a listener made of connections that have arrived already. A face that lets
// package net/http serve its clients hands them over through it.
type Arrivals struct {
	mu     sync.Mutex
	come   sync.Cond
	queue  []net.Conn
	closed bool
}

// NewArrivals makes a listener to which nobody has come.
func NewArrivals() *Arrivals {
	a := &Arrivals{}
	a.come.L = &a.mu
	return a
}

// Add lets Accept return a connection, unless the listener has been closed. It does not
// block.
func (a *Arrivals) Add(c net.Conn) bool {
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
func (a *Arrivals) Accept() (net.Conn, error) {
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
func (a *Arrivals) Close() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.closed = true
	a.come.Broadcast()
	return nil
}

// Addr implements net.Listener.
func (a *Arrivals) Addr() net.Addr { return &net.UnixAddr{Name: "beanfield", Net: "unix"} }
