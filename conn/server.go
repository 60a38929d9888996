package conn

import (
	"context"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"beanfield/router"
)

// Server accepts connections and deals them out to its loops.
type Server struct {
	opts   Options
	log    *slog.Logger
	router *router.Router
	ident  identity
	loops  []*loop

	stopping atomic.Bool
	patient  atomic.Bool // while stopping: wait for answers that are due

	next                     atomic.Uint64 // loop of the next connection
	open, producers, workers atomic.Int64
	total                    atomic.Uint64
	short                    atomic.Int32  // listeners that wait for a descriptor or a place
	freed                    chan struct{} // somebody has left while short was above 0
	warned                   atomic.Int64  // uptime at which such a wait was last logged
	mu                       sync.Mutex
	listeners                map[*os.File]struct{}
	accepting                sync.WaitGroup
}

// NewServer starts the loops. The server owns nothing of the router but its
// sessions.
func NewServer(r *router.Router, o Options) (*Server, error) {
	if err := o.complete(); err != nil {
		return nil, err
	}
	ident, err := newIdentity()
	if err != nil {
		return nil, err
	}
	s := &Server{
		opts: o, log: o.Logger, router: r, ident: ident,
		freed: make(chan struct{}, 1), listeners: map[*os.File]struct{}{},
	}
	s.patient.Store(true)
	for i := 0; i < o.Loops; i++ {
		l, err := newLoop(s)
		if err != nil {
			for _, l := range s.loops {
				l.poll.close()
			}
			return nil, err
		}
		l.busy = r.Busy
		s.loops = append(s.loops, l)
	}
	for _, l := range s.loops {
		go l.serve()
	}
	return s, nil
}

// Drain makes every later put answer DRAINING. There is no way back.
func (s *Server) Drain() { s.router.Drain() }

// Shutdown stops accepting, gives replies that are due until ctx ends to get
// out, and closes all connections.
func (s *Server) Shutdown(ctx context.Context) error {
	s.stopping.Store(true)
	s.mu.Lock()
	for l := range s.listeners {
		l.Close()
	}
	s.mu.Unlock()
	s.nudge()
	s.accepting.Wait()
	stop := func() {
		for _, l := range s.loops {
			l.stop.Store(true)
			l.poll.wake()
		}
	}
	stop()
	var err error
	for _, l := range s.loops {
		select {
		case <-l.done:
			continue
		case <-ctx.Done():
		}
		err = ctx.Err()
		s.patient.Store(false)
		stop()
		<-l.done
	}
	return err
}

// welcome hands an accepted socket to a loop.
func (s *Server) welcome(fd int) {
	s.open.Add(1)
	s.total.Add(1)
	l := s.loops[s.next.Add(1)%uint64(len(s.loops))]
	c := &Conn{loop: l, fd: fd}
	c.Notify()
}

// left takes a connection out of the counts, and lets accepting go on if it
// was waiting for that.
func (s *Server) left(c *Conn) {
	s.open.Add(-1)
	if c.producer {
		s.producers.Add(-1)
	}
	if c.worker {
		s.workers.Add(-1)
	}
	s.nudge()
}

// nudge lets a listener that waits for somebody to leave look again.
func (s *Server) nudge() {
	if s.short.Load() > 0 {
		select {
		case s.freed <- struct{}{}:
		default:
		}
	}
}

// uptime is how long the server has run.
func (s *Server) uptime() time.Duration { return time.Since(s.ident.started) }
