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

// When the loops have ended there are no clients, and whoever asks does not wait.
func TestClientsOfTheGone(t *testing.T) {
	h := newHouse(t)
	h.pair()
	h.close()
	if list, ok := h.server.Clients(t.Context(), nil); !ok || len(list) > 0 {
		t.Errorf("%v, %v", list, ok)
	}
}
