package admin

import (
	"context"
	"net/http"
	"sync/atomic"

	"beanfield/conn"
	"beanfield/conn/audit"
	"beanfield/conn/httpfront"
)

// Server serves the clients that it is given.
type Server struct {
	*httpfront.Front // its clients: how they come in, who they are, and how they are closed

	now   atomic.Pointer[Options] // which are complete, and never change
	auth  httpfront.Authenticator
	audit *audit.Log // nil for none
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
	if err := o.complete(); err != nil {
		return nil, err
	}
	h, err := httpfront.New(a, o.Options)
	if err != nil {
		return nil, err
	}
	s := &Server{Front: h, auth: o.Authenticator, audit: o.Audit}
	s.now.Store(&o)
	s.ctx, s.stop = context.WithCancel(context.Background())
	s.http = h.Server(s.ctx, handler{s})
	go s.http.Serve(h)
	return s, nil
}

// Change makes options ready that are to hold for requests from now on, in place of those
// that the server was made with. What ReadTimeout and IdleTimeout mean for headers, MaxHeader and
// Logger stay as they are. If nothing is wrong with them, apply puts them into effect.
func (s *Server) Change(o Options) (apply func(), err error) {
	if err := o.complete(); err != nil {
		return nil, err
	}
	return func() {
		s.now.Store(&o)
		s.SetHandshakeTimeout(o.HandshakeTimeout)
	}, nil
}

// Shutdown ends the pages that last, lets answers be sent until ctx ends, and closes all
// connections (AD1). The acceptor must have been stopped before.
func (s *Server) Shutdown(ctx context.Context) error {
	s.stop()
	return s.Front.Shutdown(ctx, s.http)
}
