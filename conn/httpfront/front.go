package httpfront

import (
	"context"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"beanfield/conn"
	"beanfield/conn/secure"
)

// Front receives the clients of one front end.
type Front struct {
	opts     Options
	patience atomic.Int64 // HandshakeTimeout, as it holds now
	acceptor *conn.Acceptor
	arrivals *arrivals

	mu      sync.Mutex
	gone    sync.Cond // a client has left
	clients map[*Client]struct{}
}

// New makes the receiver of a front end. It tells the acceptor when a client has left.
func New(a *conn.Acceptor, o Options) (*Front, error) {
	if err := o.Complete(); err != nil {
		return nil, err
	}
	h := &Front{opts: o, acceptor: a, arrivals: newArrivals(), clients: map[*Client]struct{}{}}
	h.patience.Store(int64(o.HandshakeTimeout))
	h.gone.L = &h.mu
	return h, nil
}

// SetHandshakeTimeout changes how long clients have for their handshakes from now on.
func (h *Front) SetHandshakeTimeout(d time.Duration) { h.patience.Store(int64(d)) }

// receive makes a client of a bare socket, which it takes over. It returns nil if the client
// had to be let go.
func (h *Front) receive(socket int, from *conn.Peer, certs *secure.Certificates) *Client {
	c, err := h.acceptor.Adopt(socket)
	if err != nil {
		h.opts.Logger.Warn("a client's socket cannot be used", "error", err)
		h.acceptor.Left()
		return nil
	}
	g := &Client{Conn: c, front: h, from: from, id: conn.NextID(), since: time.Now().UnixNano()}
	if certs != nil {
		g.Conn = certs.Over(c)
	}
	h.mu.Lock()
	h.clients[g] = struct{}{}
	h.mu.Unlock()
	return g
}

// introduce lets Accept return a client.
func (h *Front) introduce(g *Client) {
	if !h.arrivals.add(g) {
		g.Close()
	}
}

// left notes that a client has been closed.
func (h *Front) left(g *Client) {
	h.acceptor.Left() // first: when there are no clients, nobody is counted any more
	h.mu.Lock()
	delete(h.clients, g)
	h.gone.Broadcast()
	h.mu.Unlock()
}

// Accept implements net.Listener. The connection is a *Client.
func (h *Front) Accept() (net.Conn, error) { return h.arrivals.Accept() }

// Close implements net.Listener. Connections that have come are still accepted.
func (h *Front) Close() error { return h.arrivals.Close() }

// Addr implements net.Listener.
func (h *Front) Addr() net.Addr { return h.arrivals.Addr() }

// Connections is how many there are.
func (h *Front) Connections() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.clients)
}

// Shutdown lets answers be sent until ctx ends, and closes all clients (HA2). server is the
// http.Server that accepts from the front. The acceptor must have been stopped before.
func (h *Front) Shutdown(ctx context.Context, server interface {
	Shutdown(context.Context) error
	Close() error
}) error {
	// otherwise net/http would wait for their first requests
	h.closeAll(func(g *Client) bool { return g.asked.Load() == 0 })
	err := server.Shutdown(ctx)
	if err != nil {
		server.Close()
	}
	force := context.AfterFunc(ctx, h.Cut)
	defer force()
	h.mu.Lock()
	defer h.mu.Unlock()
	for len(h.clients) > 0 {
		h.gone.Wait()
	}
	return errors.Join(err, context.Cause(ctx))
}

// Cut closes all clients that are there now. Others may still come, until Shutdown.
func (h *Front) Cut() { h.closeAll(func(*Client) bool { return true }) }

// closeAll closes the clients that are chosen.
func (h *Front) closeAll(chosen func(*Client) bool) {
	var list []*Client
	h.mu.Lock()
	for g := range h.clients {
		if chosen(g) {
			list = append(list, g)
		}
	}
	h.mu.Unlock()
	for _, g := range list {
		g.Close()
	}
}
