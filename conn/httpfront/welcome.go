package httpfront

import (
	"net"
	"time"

	"beanfield/conn"
	"beanfield/conn/secure"
)

// entrance is one of the front's addresses.
type entrance struct {
	front *Front
	certs *secure.Certificates // nil without TLS
	local bool                 // it is a loopback address
}

// hesitant is an entrance with TLS.
type hesitant struct{ entrance }

// Over returns the front end that receives the clients of a listener at this address: over TLS,
// or without it if c is nil.
func (h *Front) Over(at net.Addr, c *secure.Certificates) conn.FrontEnd {
	e := entrance{front: h, certs: c}
	if tcp, ok := at.(*net.TCPAddr); ok {
		e.local = tcp.IP.IsLoopback()
	}
	if c == nil {
		return e
	}
	return hesitant{e}
}

// Room implements conn.Hesitant.
func (h hesitant) Room() <-chan struct{} { return h.certs.Room() }

// Welcome implements conn.FrontEnd. A handshake has a goroutine of its own until net/http has
// the connection. Shutdown ends it as it ends any client that has asked nothing.
func (e entrance) Welcome(socket int, from *conn.Peer) {
	g := e.front.receive(socket, from, e.certs)
	if g == nil {
		return
	}
	g.local = e.local
	if e.certs == nil {
		e.front.introduce(g)
		return
	}
	go func() {
		if g.Conn.(*secure.Conn).Accept(time.Duration(e.front.patience.Load()), secure.NotHTTPS) != nil {
			g.Close()
			return
		}
		e.front.introduce(g)
	}()
}
