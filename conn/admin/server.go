package admin

import (
	"context"
	"net"
	"net/http"
	"sync/atomic"

	"beanfield/conn"
	"beanfield/conn/audit"
	"beanfield/conn/httpfront"
	"beanfield/conn/secure"
)

// Server serves the clients that it is given.
type Server struct {
	now   atomic.Pointer[settings]
	auth  httpfront.Authenticator
	audit *audit.Log // nil for none
	front *httpfront.Front
	http  *http.Server
	ctx   context.Context // of all requests; it ends with Shutdown
	stop  context.CancelFunc
	pages atomic.Pointer[shown] // nil until Open
}

// Pages are what other packages have to show. A page that is nil does not exist.
type Pages struct {
	Metrics http.Handler // /metrics
	Console http.Handler // / and everything below that is not a page of this package
}

// NewServer makes a server. It tells the acceptor when a client has left.
func NewServer(a *conn.Acceptor, o Options) (*Server, error) {
	now, err := o.complete()
	if err != nil {
		return nil, err
	}
	h, err := httpfront.New(a, o.Options)
	if err != nil {
		return nil, err
	}
	s := &Server{front: h, auth: o.Authenticator, audit: o.Audit}
	s.now.Store(now)
	s.ctx, s.stop = context.WithCancel(context.Background())
	s.http = h.Server(s.ctx, handler{s})
	go s.http.Serve(h)
	return s, nil
}

// Change makes options ready that are to hold for requests from now on, in place of those
// that the server was made with. What ReadTimeout and IdleTimeout mean for headers, MaxHeader and
// Logger stay as they are. If nothing is wrong with them, apply puts them into effect.
func (s *Server) Change(o Options) (apply func(), err error) {
	next, err := o.complete()
	if err != nil {
		return nil, err
	}
	return func() {
		s.now.Store(next)
		s.front.SetHandshakeTimeout(o.HandshakeTimeout)
	}, nil
}

// Over returns the front end that serves the clients of a listener at an address: over TLS, or
// without it if c is nil.
func (s *Server) Over(at net.Addr, c *secure.Certificates) conn.FrontEnd {
	return s.front.Over(at, c)
}

// Connections is how many there are.
func (s *Server) Connections() int { return s.front.Connections() }

// Shutdown ends the pages that last, lets answers be sent until ctx ends, and closes all
// connections (AD1). The acceptor must have been stopped before.
func (s *Server) Shutdown(ctx context.Context) error {
	s.stop()
	return s.front.Shutdown(ctx, s.http)
}
