package hall

import (
	"net"
	"sync"
	"sync/atomic"
)

// Guest is a client's connection. If it has TLS, Conn is a *secure.Conn, so that other code
// need not know about TLS.
type Guest struct {
	net.Conn
	hall   *Hall
	closed sync.Once
	asked  atomic.Bool // the client has asked something
	polled atomic.Bool // the acceptor counts it as polled
}

// Asked notes that the client has asked something: Shutdown lets it have the answer.
func (g *Guest) Asked() { g.asked.Store(true) }

// Unpoll says that the client will send nothing that matters, so that nobody need hurry
// to read it.
func (g *Guest) Unpoll() {
	if g.polled.CompareAndSwap(true, false) {
		g.hall.acceptor.AddPolled(-1)
	}
}

// Close closes the connection, once, and tells the acceptor (A1).
func (g *Guest) Close() error {
	err := net.ErrClosed
	g.closed.Do(func() {
		err = g.Conn.Close()
		g.hall.left(g)
	})
	return err
}

// CloseWrite lets net/http end a connection so that the client still gets its answer.
func (g *Guest) CloseWrite() error {
	if half, ok := g.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}
