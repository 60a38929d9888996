package beanstalk

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"beanfield/conn"
	"beanfield/conn/access"
	"beanfield/conn/audit"
	"beanfield/conn/beanstalk/protocol"
	"beanfield/conn/beanstalk/socket"
	"beanfield/conn/secure"
	"beanfield/conn/slow"
	"beanfield/router"
)

// Server serves the clients that it is given: it distributes them over its loops.
type Server struct {
	opts     atomic.Pointer[Options] // Change replaces them
	log      *slog.Logger
	router   *router.Router
	acceptor *conn.Acceptor
	ident    identity
	loops    []*loop
	book     *access.Current
	forget   func() // has book tell nothing more
	guesses  *access.Guesses
	audit    *audit.Log // nil for none
	slow     *slow.Log  // likewise

	bodies conn.Budget // of what is arriving

	patient atomic.Bool // while stopping: wait for answers that are due
	// relieving says that relieve is running, or about to.
	relieving atomic.Bool
	closing   sync.Once    // of the pollers
	bells     sync.RWMutex // held while a bell rings, and while closed becomes true
	closed    bool         // the pollers, or they are about to be

	next                     atomic.Uint64 // loop of the next connection
	open, producers, workers atomic.Int64
	total                    atomic.Uint64
	shaking                  atomic.Int64 // handshakes that have a goroutine
	web                      webLog
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

// Shutdown gives replies that are due until ctx ends to be sent, and closes all
// connections. With a ctx that has ended, none is waited for. The acceptor has been stopped
// before: no more clients come.
func (s *Server) Shutdown(ctx context.Context) error {
	s.forget()
	if ctx.Err() != nil {
		s.patient.Store(false)
	}
	stop := func() {
		for _, l := range s.loops {
			if !l.hasEnded() {
				l.stop.Store(true)
				l.poll.Wake()
			}
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
	// None before all have ended: another file may get the number of a
	// descriptor that is closed, and to wake a loop by it would write there.
	s.closing.Do(func() {
		s.bells.Lock()
		s.closed = true
		s.bells.Unlock()
		for _, l := range s.loops {
			l.poll.Close()
		}
	})
	return err
}

// Welcome implements conn.FrontEnd: a loop will serve the client.
func (s *Server) Welcome(fd int) { s.welcome(fd, nil, Door{}) }

func (s *Server) welcome(fd int, w *socket.TLS, d Door) {
	s.open.Add(1)
	s.total.Add(1)
	l := s.loops[s.next.Add(1)%uint64(len(s.loops))]
	c := &Conn{loop: l, fd: fd, tls: w, fresh: true, http: d.HTTP, login: d.Login, mayShow: d.Login, id: conn.NextID(),
		since: time.Now().UnixNano()}
	c.Notify()
}

// Stuck is the first loop that has served one event since the last call, or -1. One
// goroutine calls it.
func (s *Server) Stuck() int {
	stuck := -1
	for i := len(s.loops) - 1; i >= 0; i-- { // all of them, as each call is a question
		if !s.loops[i].alive() {
			stuck = i
		}
	}
	return stuck
}

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
	var u syscall.Utsname
	if err := syscall.Uname(&u); err != nil {
		return n, fmt.Errorf("beanstalk: uname: %w", err)
	}
	n.os, n.platform = utsString(u.Version[:]), utsString(u.Machine[:])
	n.hostname = utsString(u.Nodename[:])
	return n, nil
}

func utsString(field []int8) string {
	var b strings.Builder
	for _, c := range field {
		if c == 0 {
			break
		}
		b.WriteByte(byte(c))
	}
	return b.String()
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
	return secured{s, d}
}

// open is a front end without TLS.
type open struct {
	server *Server
	door   Door
}

// Welcome implements conn.FrontEnd.
func (f open) Welcome(fd int) { f.server.welcome(fd, nil, f.door) }

// secured is a front end with TLS.
type secured struct {
	server *Server
	door   Door
}

// Room implements conn.Hesitant.
func (f secured) Room() <-chan struct{} { return f.door.Certificates.Room() }

// Welcome implements conn.FrontEnd.
func (f secured) Welcome(fd int) {
	f.server.welcome(fd, socket.NewTLS(fd, f.door.Certificates), f.door)
}
