package beanstalk

import (
	"testing"

	"beanfield/conn"
)

// clients asks who is there and what they hold.
func (h *house) clients() []conn.Client {
	h.t.Helper()
	held := map[any]int{}
	for i := range h.router.Shards() {
		if !h.router.Holders(h.t.Context(), i, held) {
			h.t.Fatal("a shard does not say who holds jobs")
		}
	}
	list, ok := h.server.Clients(h.t.Context(), held)
	if !ok {
		h.t.Fatal("a loop does not say who is there")
	}
	return list
}

// A loop goes through its clients in parts, each when it is asked to.
func TestClientsInParts(t *testing.T) {
	s, l := stillServer(t)
	for range 2 * partLength {
		s.enter(t)
	}
	for !l.idle() {
		l.serveInbox()
	}
	n, parts := 0, 0
	for from, over := 0, false; !over; over = from == 0 {
		before := n
		l.ask(func() { from = l.visit(from, func(*Conn) { n++ }) })
		l.serveInbox()
		if parts++; n-before > partLength || !l.idle() {
			t.Fatalf("a part has %d clients", n-before)
		}
	}
	// The first descriptors are not those of clients.
	if next := l.visit(1<<30, nil); n != 2*partLength || parts < 3 || next != 0 {
		t.Errorf("%d clients in %d parts, and then %d", n, parts, next)
	}
}

// When the loops have ended there are no clients, and whoever asks does not wait.
func TestClientsOfTheGone(t *testing.T) {
	h := newHouse(t)
	h.pair()
	h.close()
	if list, ok := h.server.Clients(t.Context(), nil); !ok || len(list) > 0 {
		t.Errorf("%v, %v", list, ok)
	}
}
