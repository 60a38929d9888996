package httpfront

import (
	"net"
	"sync"
	"sync/atomic"

	"beanfield/conn"
	"beanfield/conn/access"
	"beanfield/conn/secure"
)

// Client is a client's connection. If it has TLS, Conn is a *secure.Conn, so that other code
// need not know about TLS.
type Client struct {
	net.Conn
	front  *Front
	from   *conn.Peer // who it is; nil: the kernel knows
	closed sync.Once
	id     uint64
	since  int64         // when the client came, in nanoseconds since 1970
	asked  atomic.Uint64 // how often the client has asked something
	busy   atomic.Bool   // what it has asked is not answered yet
	seat   atomic.Pointer[seat]
	local  bool // it has come to a loopback address

	token  atomic.Pointer[access.Hash] // that it has shown last, if that was right or nobody asked
	judged atomic.Pointer[judgement]
}

func (g *Client) self() *Client { return g }

// Peer is the other end of the connection.
func (g *Client) Peer() conn.Peer {
	if g.from != nil {
		return *g.from
	}
	return conn.PeerAt(secure.Under(g.Conn))
}

// Secured says whether the client has TLS.
func (g *Client) Secured() bool { return secure.Under(g.Conn) != g.Conn }

// Asked notes that the client has asked something: Shutdown lets it have the answer.
func (g *Client) Asked() {
	g.asked.Add(1)
	g.busy.Store(true)
}

// Answered notes that the client has its answer.
func (g *Client) Answered() { g.busy.Store(false) }

// seat is a consumer's place.
type seat struct {
	name     string
	receiver any // what holds its items
}

// Sit notes that the client is a consumer of this name, whose items the receiver holds, or
// that it is one no more: then the receiver is nil.
func (g *Client) Sit(name string, receiver any) {
	if receiver == nil {
		g.seat.Store(nil)
		return
	}
	g.seat.Store(&seat{name, receiver})
}

// Close closes the connection, once, and tells the acceptor (HA1).
func (g *Client) Close() error {
	err := net.ErrClosed
	g.closed.Do(func() {
		err = g.Conn.Close()
		g.front.left(g)
	})
	return err
}

// CloseWrite lets net/http end a connection so that the client still gets its answer.
func (g *Client) CloseWrite() error {
	if half, ok := g.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// Clients lists the clients, with what each consumer holds according to held.
func (h *Front) Clients(held map[any]int) []conn.Client {
	h.mu.Lock()
	clients := make([]*Client, 0, len(h.clients))
	for g := range h.clients {
		clients = append(clients, g)
	}
	h.mu.Unlock()
	list := make([]conn.Client, len(clients))
	for i, g := range clients {
		list[i] = g.show(held)
	}
	return list
}

// Disconnect closes the connection of the client with this ID, and says whose it was. It reports false
// if there is no such client.
func (h *Front) Disconnect(id uint64) (c conn.Client, ok bool) {
	h.closeAll(func(g *Client) bool {
		if g.id != id {
			return false
		}
		c, ok = g.show(nil), true
		return true
	})
	return c, ok
}

func (g *Client) show(held map[any]int) conn.Client {
	c := conn.Client{ID: g.id, Peer: g.Peer(), TLS: g.Secured(), Since: g.since, Asked: g.asked.Load()}
	if s := g.seat.Load(); s != nil {
		c.Doing, c.Held, c.Consumer = conn.Consuming, held[s.receiver], s.name
	} else if g.busy.Load() {
		c.Doing = conn.Working
	}
	return c
}
