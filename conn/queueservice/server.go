package queueservice

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"

	"beanfield/conn"
	"beanfield/conn/audit"
	"beanfield/conn/httpfront"
)

// Server serves the clients that it is given.
type Server struct {
	*httpfront.Front // its clients: how they come in, who they are, and how they are closed

	now      atomic.Pointer[Options] // which are complete, and never change
	shards   Shards
	auth     httpfront.Authenticator
	forget   func()     // has the book of auth tell nothing more
	audit    *audit.Log // nil for none
	http     *http.Server
	ctx      context.Context // of all requests; it ends with Shutdown
	stop     context.CancelFunc
	refusals refusals
	bodies   conn.Budget // of batches and of lists of indexes
	answers  conn.Budget // of gets

	mu        sync.Mutex
	gone      sync.Cond              // a consumer has left
	consumers map[*consumer]struct{} // over WebSocket, until their goroutines have ended
	visits    map[*visit]struct{}    // those that last, besides consumers
}

// NewServer makes a server. It tells the acceptor when a client has left.
func NewServer(shards Shards, a *conn.Acceptor, o Options) (*Server, error) {
	if err := o.complete(); err != nil {
		return nil, err
	}
	h, err := httpfront.New(a, o.Options)
	if err != nil {
		return nil, err
	}
	s := &Server{
		shards: shards, auth: o.Authenticator, audit: o.Audit, Front: h, consumers: map[*consumer]struct{}{},
		visits: map[*visit]struct{}{},
	}
	s.now.Store(&o)
	s.bodies.Bound(conn.UsualBudget)
	s.answers.Bound(conn.UsualBudget)
	s.gone.L = &s.mu
	s.ctx, s.stop = context.WithCancel(context.Background())
	s.http = h.Server(s.ctx, handler{s})
	go s.http.Serve(listener{h, &s.now})
	s.forget = s.auth.Current.OnReplace(func() { go s.review() })
	return s, nil
}

// Change makes options ready that are to hold from now on, in place of those that the server
// was made with: for new requests, and as far as they concern them, for consumers. What
// ReadTimeout and IdleTimeout mean for headers, MaxHeader and Logger stay as they are. If nothing
// is wrong with them, apply puts them into effect.
func (s *Server) Change(o Options) (apply func(), err error) {
	if err := o.complete(); err != nil {
		return nil, err
	}
	return func() {
		s.now.Store(&o)
		s.SetHandshakeTimeout(o.HandshakeTimeout)
		s.review()
	}, nil
}

// Open is how many connections there are, and how many of them are consumers over
// WebSocket.
func (s *Server) Open() (connections, consumers int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.Connections(), len(s.consumers)
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
// and closes all connections (QS3). The acceptor must have been stopped before.
func (s *Server) Shutdown(ctx context.Context) error {
	s.forget()
	s.mu.Lock()
	s.stop()
	for c := range s.consumers {
		c.outbox.finish(closeGoing, "the server stops")
	}
	s.mu.Unlock()
	err := s.Front.Shutdown(ctx, s.http)
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.consumers) > 0 { // not for long: their connections are closed
		s.gone.Wait()
	}
	return err
}

// handler is what the front asks about a request before the server sees it.
type handler struct{ *Server }

// Guard implements httpfront.Handler.
func (h handler) Guard() *httpfront.Guard { return h.now.Load().Guard }

// Exposed implements httpfront.Handler.
func (h handler) Exposed(r *http.Request) bool {
	token := r.Header.Get("Authorization") != "" || asksForJSON(r) && strings.Contains(r.URL.RawQuery, tokenKey)
	return h.auth.Exposed(httpfront.ConnOf(r).(*socket).Client, token, h.now.Load().Listed)
}

// tokenKey is how pages send a token, which cannot set headers.
const tokenKey = "_token_="

// TurnAway implements httpfront.Handler.
func (h handler) TurnAway(w http.ResponseWriter, r *http.Request, status int, why error) {
	q := h.newRequest(w, r)
	q.query = &query{}
	err := refuse(status, why.Error()+": see "+map[error]string{httpfront.ErrHost: "queue.hosts",
		httpfront.ErrOrigin: "queue.origins"}[why])
	q.note(&operation{name: "request"}, err)
	q.fail(err)
}
