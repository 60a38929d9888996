package queueservice

import (
	"beanfield/conn"
	"beanfield/conn/secure"
)

// secured is the same face over TLS. A socket holds its tls.Conn, so that other code need
// not know about TLS.
type secured struct {
	server *Server
	certs  *secure.Certificates
}

// Over returns the face that serves clients over TLS, or without it if c is nil.
func (s *Server) Over(c *secure.Certificates) conn.Face {
	if c == nil {
		return s
	}
	return secured{s, c}
}

// Welcome implements conn.Face. The handshake has a goroutine of its own until net/http
// has the connection. Shutdown ends it as it ends any client that has asked nothing.
func (f secured) Welcome(fd int) {
	k, err := f.server.adopt(fd)
	if err != nil {
		f.server.refused(err)
		return
	}
	t := f.certs.Over(k.Conn)
	k.Conn = t
	f.server.register(k)
	go func() {
		if f.certs.Accept(t, f.server.opts.HandshakeTimeout, secure.NotHTTPS) != nil {
			k.Close()
			return
		}
		f.server.introduce(k)
	}()
}
