package conn

import (
	"fmt"
	"io"
	"log/slog"
	"net"
	"sync"
	"syscall"
	"testing"
	"time"

	"beanfield/storage/must"
)

const patience = must.Patience

// front is a front end that keeps its clients until the test lets them go.
type front struct {
	house *house
	in    chan int
}

func (g *front) Welcome(fd int, _ *Peer) { g.in <- fd }

// next waits for a client.
func (g *front) next() int {
	g.house.t.Helper()
	select {
	case fd := <-g.in:
		return fd
	case <-time.After(patience):
		g.house.t.Fatal("nobody is welcomed")
		return 0
	}
}

func (g *front) none() {
	g.house.t.Helper()
	if len(g.in) > 0 {
		g.house.t.Error("somebody is welcomed")
	}
}

func (g *front) leave(fd int) {
	syscall.Close(fd)
	g.house.Left()
}

// house is an acceptor with front ends and listeners. When the test ends it stops.
type house struct {
	*Acceptor
	t      *testing.T
	lines  chan string // what is logged
	served sync.WaitGroup
}

func newHouse(t *testing.T, limit int) *house {
	t.Helper()
	h := &house{t: t, lines: make(chan string, 100)}
	h.Acceptor = must.Get(NewAcceptor(Options{MaxConnections: limit, Logger: slog.New(slog.NewTextHandler(h, nil))}))
	t.Cleanup(func() {
		h.Stop()
		h.served.Wait()
	})
	return h
}

// Write takes a line that is logged.
func (h *house) Write(b []byte) (int, error) {
	h.lines <- string(b)
	return len(b), nil
}

// open makes a front end with a listener, and returns the listener's address too.
func (h *house) open(network, address string) (*front, string) {
	h.t.Helper()
	l := must.Get(net.Listen(network, address))
	g := &front{h, make(chan int, 100)}
	h.served.Go(func() {
		if err := h.Serve(l, g); err != nil {
			h.t.Errorf("Serve: %v", err)
		}
	})
	return g, l.Addr().String()
}

// waiting waits until n wait for a place.
func (h *house) waiting(n int) {
	h.t.Helper()
	must.Until(h.t, fmt.Sprint(n, " wait"), func() bool {
		h.mu.Lock()
		defer h.mu.Unlock()
		return len(h.queue) == n
	})
}

func dial(t *testing.T, network, address string) net.Conn {
	t.Helper()
	c := must.Get(net.Dial(network, address))
	t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(patience))
	return c
}

// ended makes sure that the server has closed a client's connection: either
// in order or, if it never took it out of the kernel's hands, by a reset.
func ended(t *testing.T, c net.Conn) {
	t.Helper()
	_, err := c.Read(make([]byte, 1))
	if ne, ok := err.(net.Error); err == nil || err != io.EOF && ok && ne.Timeout() {
		t.Errorf("a client is not let go: %v", err)
	}
}
