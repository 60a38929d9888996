package admin

import (
	"context"
	"errors"
	"log"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"

	"beanfield/conn"
)

// Server serves the clients that it is given.
type Server struct {
	opts     Options
	log      *slog.Logger
	tokens   tokens
	acceptor *conn.Acceptor
	arrivals *conn.Arrivals
	http     http.Server
	ctx      context.Context // of all requests; it ends with Shutdown
	stop     context.CancelFunc
	pages    atomic.Pointer[Pages] // nil until Open

	mu      sync.Mutex
	gone    sync.Cond // a socket has left
	sockets map[*socket]struct{}
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
	s := &Server{
		opts: o, log: o.Logger, tokens: newTokens(o.Tokens), acceptor: a, arrivals: conn.NewArrivals(),
		sockets: map[*socket]struct{}{},
	}
	s.gone.L = &s.mu
	s.ctx, s.stop = context.WithCancel(context.Background())
	s.http = http.Server{
		Handler: s, ReadHeaderTimeout: o.ReadTimeout, IdleTimeout: o.IdleTimeout, MaxHeaderBytes: o.MaxHeader,
		DisableGeneralOptionsHandler: true,
		BaseContext:                  func(net.Listener) context.Context { return s.ctx },
		ErrorLog:                     slog.NewLogLogger(o.Logger.Handler(), slog.LevelDebug),
		ConnState:                    s.changed,
	}
	s.http.ErrorLog.SetFlags(log.Lmsgprefix)
	go s.http.Serve(s.arrivals)
	return s, nil
}

// Open lets clients see these pages. It is called once, when the jobs are recovered.
func (s *Server) Open(p Pages) { s.pages.Store(&p) }

// Welcome implements conn.Face.
func (s *Server) Welcome(fd int) {
	k, err := s.adopt(fd)
	if err != nil {
		s.refused(err)
		return
	}
	s.register(k)
	s.introduce(k)
}

// refused lets a client go whose socket has not become one of the server's.
func (s *Server) refused(err error) {
	s.log.Warn("a client's socket cannot be used", "error", err)
	s.acceptor.Left()
}

// register notes a socket until it has been closed.
func (s *Server) register(k *socket) {
	s.mu.Lock()
	s.sockets[k] = struct{}{}
	s.mu.Unlock()
}

// introduce hands a socket to net/http.
func (s *Server) introduce(k *socket) {
	if !s.arrivals.Add(k) {
		k.Close()
	}
}

// changed notes that a client has asked something.
func (s *Server) changed(c net.Conn, state http.ConnState) {
	if state == http.StateActive {
		s.mu.Lock()
		c.(*socket).fresh = false
		s.mu.Unlock()
	}
}

// left notes that a socket has been closed.
func (s *Server) left(k *socket) {
	s.mu.Lock()
	delete(s.sockets, k)
	s.gone.Broadcast()
	s.mu.Unlock()
	s.acceptor.Left()
}

// Connections is how many there are.
func (s *Server) Connections() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.sockets)
}

// Shutdown ends the pages that last, lets answers be sent until ctx ends, and closes all
// connections (H2). The acceptor must have been stopped before.
func (s *Server) Shutdown(ctx context.Context) error {
	s.stop()
	s.closeAll(func(k *socket) bool { return k.fresh }) // otherwise net/http would wait for their first requests
	err := s.http.Shutdown(ctx)
	if err != nil {
		s.http.Close()
	}
	force := context.AfterFunc(ctx, func() { s.closeAll(func(*socket) bool { return true }) })
	defer force()
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.sockets) > 0 {
		s.gone.Wait()
	}
	return errors.Join(err, context.Cause(ctx))
}

// closeAll closes the sockets that are chosen.
func (s *Server) closeAll(chosen func(*socket) bool) {
	var list []*socket
	s.mu.Lock()
	for k := range s.sockets {
		if chosen(k) {
			list = append(list, k)
		}
	}
	s.mu.Unlock()
	for _, k := range list {
		k.Close()
	}
}
