package hall

import (
	"time"

	"beanfield/conn"
	"beanfield/conn/secure"
)

// secured is the same hall, for clients with TLS.
type secured struct {
	hall  *Hall
	certs *secure.Certificates
}

// Over returns the face that receives clients over TLS, or without it if c is nil.
func (h *Hall) Over(c *secure.Certificates) conn.Face {
	if c == nil {
		return h
	}
	return secured{h, c}
}

// Room implements conn.Hesitant.
func (s secured) Room() <-chan struct{} { return s.certs.Room() }

// Welcome implements conn.Face. The handshake has a goroutine of its own until net/http
// has the connection. Shutdown ends it as it ends any client that has asked nothing.
func (s secured) Welcome(socket int) {
	g := s.hall.receive(socket, s.certs)
	if g == nil {
		return
	}
	go func() {
		if g.Conn.(*secure.Conn).Accept(time.Duration(s.hall.patience.Load()), secure.NotHTTPS) != nil {
			g.Close()
			return
		}
		s.hall.introduce(g)
	}()
}
