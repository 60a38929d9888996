package beanstalk

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"beanfield/conn"
	"beanfield/conn/access"
	"beanfield/conn/audit"
	"beanfield/conn/beanstalk/event"
	"beanfield/conn/beanstalk/protocol"
	"beanfield/conn/secure"
	"beanfield/conn/slow"
	"beanfield/conn/socket"
	"beanfield/router"
	"beanfield/router/schedule"
)

// Server serves the clients that it is given: it distributes them over its loops.
type Server struct {
	opts    atomic.Pointer[Options] // Change replaces them
	log     *slog.Logger
	router  *router.Router
	ident   identity
	group   event.Group
	loops   []*loop
	book    *access.Current
	forget  func() // has book tell nothing more
	guesses *access.Guesses
	audit   *audit.Log // nil for none
	slow    *slow.Log  // likewise

	bodies conn.Budget // of what is arriving

	open, producers, workers atomic.Int64
	total                    atomic.Uint64
	web                      webLog
}

// NewServer starts the loops. The server owns nothing of the router but its
// sessions, and tells the acceptor whose clients it serves when one has left.
func NewServer(r *router.Router, a *conn.Acceptor, o Options) (*Server, error) {
	if err := o.complete(); err != nil {
		return nil, err
	}
	ident, err := newIdentity()
	if err != nil {
		return nil, err
	}
	s := &Server{log: o.Logger, router: r, ident: ident, book: o.Access, guesses: o.Guesses, audit: o.Audit,
		slow: o.Slow, group: event.Group{Shards: r, Log: o.Logger, Left: a.Left}}
	s.hold(&o)
	for range o.Loops {
		if err := s.join(); err != nil {
			s.group.Close()
			return nil, err
		}
	}
	s.group.Start()
	s.forget = s.book.OnReplace(s.recheck)
	return s, nil
}

// Change makes options ready that are to hold from now on, in place of those that the server
// was made with. Loops and Logger stay as they are. If nothing is wrong with them, apply puts
// them into effect, for all connections.
func (s *Server) Change(o Options) (apply func(), err error) {
	if err := o.complete(); err != nil {
		return nil, err
	}
	return func() { s.hold(&o) }, nil
}

// hold puts options into effect.
func (s *Server) hold(o *Options) {
	s.opts.Store(o)
	s.bodies.Bound(max(conn.UsualBudget, 4*int64(o.MaxJobSize)))
}

// Cut closes the connections of all clients that are there now, without another reply, and does not wait. Others may
// still come, until Shutdown.
func (s *Server) Cut() { s.group.Cut() }

// Shutdown gives replies that are due until ctx ends to be sent, and closes all
// connections. With a ctx that has ended, none is waited for. The acceptor has been stopped
// before: no more clients come.
func (s *Server) Shutdown(ctx context.Context) error {
	s.forget()
	return s.group.Shutdown(ctx)
}

// Welcome implements conn.FrontEnd: a loop will serve the client.
func (s *Server) Welcome(fd int, from *conn.Peer) { s.welcome(fd, from, nil, Door{}) }

func (s *Server) welcome(fd int, from *conn.Peer, w *socket.TLS, d Door) {
	s.open.Add(1)
	s.total.Add(1)
	l := s.loops[s.group.Next()]
	c := &Conn{loop: l, fresh: true, http: d.HTTP, login: d.Login, mayShow: d.Login, from: from,
		id: conn.NextID(), since: time.Now().UnixNano()}
	l.Enter(&c.Conn, c, fd, w, s.opts.Load().HandshakeTimeout)
}

// Stuck is the first loop that has served one event since the last call, or -1. One
// goroutine calls it.
func (s *Server) Stuck() int { return s.group.Stuck() }

// left takes a connection out of the counts.
func (s *Server) left(c *Conn) {
	s.open.Add(-1)
	if c.producer {
		s.producers.Add(-1)
	}
	if c.worker {
		s.workers.Add(-1)
	}
}

// uptime is how long the server has run.
func (s *Server) uptime() time.Duration { return time.Since(s.ident.started) }

// webLog logs clients that spoke HTTP: a page may make a browser try a thousand times.
type webLog struct {
	said  atomic.Int64 // when there was a line, plus 1
	since atomic.Int64 // how many there have been since then
}

// identity is what stats says of the process, and never changes.
type identity struct {
	started                time.Time
	id                     string
	hostname, os, platform string
}

func newIdentity() (identity, error) {
	n := identity{started: time.Now()}
	for n.id == "" || !strings.ContainsAny(n.id, "abcdf") || !protocol.Plain(n.id) {
		// It is never quoted, so no YAML reader may take it for a number: it has a
		// letter that is not an e, and is not 0b with binary digits.
		var b [8]byte
		rand.Read(b[:])
		n.id = hex.EncodeToString(b[:])
	}
	var u unix.Utsname
	if err := unix.Uname(&u); err != nil {
		return n, fmt.Errorf("beanstalk: uname: %w", err)
	}
	n.os, n.platform = unix.ByteSliceToString(u.Version[:]), unix.ByteSliceToString(u.Machine[:])
	n.hostname = unix.ByteSliceToString(u.Nodename[:])
	return n, nil
}

// Door says how the clients of a listener are let in. The Server itself is the front end of the zero
// value.
type Door struct {
	Certificates *secure.Certificates // nil without TLS
	Login        bool                 // clients may log in with a token
	HTTP         bool                 // clients that speak HTTP are answered like others, and not closed
}

// Door returns the front end of clients that come through such a door.
func (s *Server) Door(d Door) conn.FrontEnd {
	if d.Certificates == nil {
		return open{s, d}
	}
	return secured{open{s, d}}
}

// open is a front end without TLS.
type open struct {
	server *Server
	door   Door
}

// Welcome implements conn.FrontEnd.
func (f open) Welcome(fd int, from *conn.Peer) { f.server.welcome(fd, from, nil, f.door) }

// secured is a front end with TLS.
type secured struct{ open }

// Room implements conn.Hesitant.
func (f secured) Room() <-chan struct{} { return f.door.Certificates.Room() }

// Welcome implements conn.FrontEnd.
func (f secured) Welcome(fd int, from *conn.Peer) {
	f.server.welcome(fd, from, socket.NewTLS(fd, f.door.Certificates), f.door)
}

// Limits of what may be configured.
const (
	DefaultMaxJobSize = 65535
	MaxMaxJobSize     = 1 << 30
)

// Options are what a Server is made with.
type Options struct {
	// MaxJobSize is the largest body that put accepts, in bytes.
	MaxJobSize int
	// Loops is the number of event loops; 0 means DefaultLoops.
	Loops int
	// HandshakeTimeout is how long a client has for its TLS handshake; 0 means ten seconds.
	HandshakeTimeout time.Duration
	// Quoting says which strings in replies of stats are quoted.
	Quoting protocol.Quoting
	// BinlogMaxSize is shown in stats, and nothing else.
	BinlogMaxSize int
	// Access has the rules that say who may do what; nil for none, ever.
	Access *access.Current
	// Guesses counts wrong tokens; nil if only this server counts them.
	Guesses *access.Guesses
	// Audit is told what was refused and what administrators do; nil if nobody is.
	Audit *audit.Log
	// Slow is told of commands that took long, and of refusals; nil if nobody is.
	Slow *slow.Log
	// Schedules are those of the server; nil if it has none.
	Schedules func() []schedule.Info
	// Policies show and change the policies of tubes; nil if there are none.
	Policies *conn.Policies
	// Version is shown in stats.
	Version string
	Logger  *slog.Logger
}

// DefaultLoops is one for each processor but one. The last processor is for the
// kernel's work on the network, for logs, deadlines, and clients on the same machine:
// if a loop shares its processor with one of them, all its connections wait for
// milliseconds, the scheduler's time slice.
func DefaultLoops() int { return max(1, runtime.GOMAXPROCS(0)-1) }

func (o *Options) complete() error {
	if o.MaxJobSize < 0 || o.MaxJobSize > MaxMaxJobSize {
		return fmt.Errorf("beanstalk: a maximum job size of %d bytes, want 0 to %d", o.MaxJobSize, MaxMaxJobSize)
	}
	if o.Loops < 0 {
		return errors.New("beanstalk: a negative number of loops")
	}
	if o.Loops == 0 {
		o.Loops = DefaultLoops()
	}
	if o.HandshakeTimeout == 0 {
		o.HandshakeTimeout = secure.Timeout
	}
	if o.Access == nil {
		o.Access = new(access.Current)
	}
	if o.Guesses == nil {
		o.Guesses = new(access.Guesses)
	}
	if o.Policies == nil {
		o.Policies = conn.NoPolicies()
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return nil
}
