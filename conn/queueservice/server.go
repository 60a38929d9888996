package queueservice

import (
	"context"
	"crypto/sha256"
	"errors"
	"log"
	"log/slog"
	"net"
	"net/http"
	"sync"

	"beanfield/conn"
)

// Server serves the clients that it is given.
type Server struct {
	opts     Options
	log      *slog.Logger
	shards   Shards
	acceptor *conn.Acceptor
	tokens   [][sha256.Size]byte
	arrivals *conn.Arrivals
	http     http.Server
	ctx      context.Context // of all requests; it ends with Shutdown
	stop     context.CancelFunc
	refusals refusals

	mu        sync.Mutex
	gone      sync.Cond // a socket or a consumer has left
	sockets   map[*socket]struct{}
	consumers map[*consumer]struct{} // over WebSocket, until their goroutines have ended
}

// NewServer makes a server. It tells the acceptor when a client has left.
func NewServer(shards Shards, a *conn.Acceptor, o Options) (*Server, error) {
	if err := o.complete(); err != nil {
		return nil, err
	}
	s := &Server{
		opts: o, log: o.Logger, shards: shards, acceptor: a, tokens: hashes(o.Tokens), arrivals: conn.NewArrivals(),
		sockets: map[*socket]struct{}{}, consumers: map[*consumer]struct{}{},
	}
	s.gone.L = &s.mu
	s.ctx, s.stop = context.WithCancel(context.Background())
	s.http = http.Server{
		Handler: s, ReadHeaderTimeout: o.ReadTimeout, IdleTimeout: o.IdleTimeout, MaxHeaderBytes: o.MaxHeader,
		DisableGeneralOptionsHandler: true,
		BaseContext:                  func(net.Listener) context.Context { return s.ctx },
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, socketKey{}, c)
		},
		ErrorLog: slog.NewLogLogger(o.Logger.Handler(), slog.LevelDebug),
		ConnState: func(c net.Conn, state http.ConnState) {
			if state != http.StateNew {
				c.(*socket).fresh.Store(false)
			}
		},
	}
	s.http.ErrorLog.SetFlags(log.Lmsgprefix)
	go s.http.Serve(s.arrivals)
	return s, nil
}

// socketKey is the key of the connection in a request's context.
type socketKey struct{}

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

// left notes that a socket has been closed.
func (s *Server) left(k *socket) {
	k.unpoll()
	s.mu.Lock()
	delete(s.sockets, k)
	s.gone.Broadcast()
	s.mu.Unlock()
	s.acceptor.Left()
}

// Open is how many connections there are, and how many of them are consumers over
// WebSocket.
func (s *Server) Open() (connections, consumers int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.sockets), len(s.consumers)
}

// enlist notes a consumer, unless the server is about to stop.
func (s *Server) enlist(c *consumer) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx.Err() != nil {
		return false
	}
	s.consumers[c] = struct{}{}
	return true
}

func (s *Server) delist(c *consumer) {
	s.mu.Lock()
	delete(s.consumers, c)
	s.gone.Broadcast()
	s.mu.Unlock()
}

// Shutdown ends the gets that wait and all watches, lets answers be sent until ctx ends,
// and closes all connections (F3). The acceptor must have been stopped before.
func (s *Server) Shutdown(ctx context.Context) error {
	s.mu.Lock()
	s.stop()
	for c := range s.consumers {
		c.outbox.finish(closeGoing, "the server stops")
	}
	fresh := s.chosen(func(k *socket) bool { return k.fresh.Load() })
	s.mu.Unlock()
	for _, k := range fresh {
		k.Close() // otherwise net/http would wait for its first request
	}
	err := s.http.Shutdown(ctx)
	if err != nil {
		s.http.Close()
	}
	force := context.AfterFunc(ctx, func() {
		s.mu.Lock()
		all := s.chosen(func(*socket) bool { return true })
		s.mu.Unlock()
		for _, k := range all {
			k.Close()
		}
	})
	defer force()
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.sockets) > 0 || len(s.consumers) > 0 {
		s.gone.Wait()
	}
	return errors.Join(err, context.Cause(ctx))
}

// chosen lists sockets. The caller holds mu.
func (s *Server) chosen(ok func(*socket) bool) (list []*socket) {
	for k := range s.sockets {
		if ok(k) {
			list = append(list, k)
		}
	}
	return list
}
