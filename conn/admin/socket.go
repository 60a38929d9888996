package admin

import (
	"net"
	"sync"
)

// socket is a client's connection.
type socket struct {
	net.Conn
	server *Server
	closed sync.Once
	fresh  bool // nothing has been asked yet; the server's mutex guards it
}

// adopt makes a connection of a bare socket, which it takes over.
func (s *Server) adopt(fd int) (*socket, error) {
	c, err := s.acceptor.Adopt(fd)
	if err != nil {
		return nil, err
	}
	return &socket{Conn: c, server: s, fresh: true}, nil
}

// Close closes the connection, once, and tells the acceptor (H1).
func (k *socket) Close() error {
	err := net.ErrClosed
	k.closed.Do(func() {
		err = k.Conn.Close()
		k.server.left(k)
	})
	return err
}

// CloseWrite lets net/http end a connection so that the client still gets its answer.
func (k *socket) CloseWrite() error {
	if half, ok := k.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}
