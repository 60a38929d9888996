package hall

import (
	"beanfield/conn"
	"beanfield/conn/secure"
)

// Clients lists the guests, with what each consumer holds according to held.
func (h *Hall) Clients(held map[any]int) []conn.Client {
	h.mu.Lock()
	guests := make([]*Guest, 0, len(h.guests))
	for g := range h.guests {
		guests = append(guests, g)
	}
	h.mu.Unlock()
	list := make([]conn.Client, len(guests))
	for i, g := range guests {
		list[i] = g.show(held)
	}
	return list
}

func (g *Guest) show(held map[any]int) conn.Client {
	below := secure.Under(g.Conn)
	c := conn.Client{Peer: conn.PeerAt(below), TLS: below != g.Conn, Since: g.since, Asked: g.asked.Load()}
	if s := g.seat.Load(); s != nil {
		c.Doing, c.Held, c.Consumer = conn.Consuming, held[s.receiver], s.name
	} else if g.busy.Load() {
		c.Doing = conn.Working
	}
	return c
}
