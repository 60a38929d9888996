package hall

import (
	"context"
	"log"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// Bounds are what the requests of a face may take.
type Bounds struct {
	ReadTimeout time.Duration // of a request's headers
	IdleTimeout time.Duration // between requests
	MaxHeader   int           // of a request's line and headers, in bytes
}

// Face answers the requests of a hall's guests.
type Face interface {
	http.Handler // gets those that the guard lets in (HA4)
	// Guard is the guard that holds now.
	Guard() *Guard
	// Exposed says whether anybody is let in with this request: see Porter.Exposed.
	Exposed(*http.Request) bool
	// TurnAway answers a request that the guard refuses.
	TurnAway(w http.ResponseWriter, r *http.Request, status int, why error)
}

// guarded is a face behind its guard.
type guarded struct{ Face }

// ServeHTTP implements http.Handler.
func (f guarded) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g := guestOf(ConnOf(r))
	switch err := f.Guard().check(r, g.Secured(), g.local && f.Exposed(r)); err {
	case nil:
		f.Face.ServeHTTP(w, r)
	case ErrHost:
		f.TurnAway(w, r, http.StatusMisdirectedRequest, err)
	default:
		f.TurnAway(w, r, http.StatusForbidden, err)
	}
}

// guestOf finds the guest, or the one that a face has made something of.
func guestOf(c net.Conn) *Guest { return c.(interface{ self() *Guest }).self() }

// Server makes what serves the guests' requests. They all get ctx, and ConnOf finds their
// connection.
func (h *Hall) Server(ctx context.Context, f Face, b Bounds) *http.Server {
	s := &http.Server{
		Handler: guarded{f}, ReadHeaderTimeout: b.ReadTimeout, IdleTimeout: b.IdleTimeout, MaxHeaderBytes: b.MaxHeader,
		DisableGeneralOptionsHandler: true,
		BaseContext:                  func(net.Listener) context.Context { return ctx },
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, connKey{}, c)
		},
		ErrorLog:  slog.NewLogLogger(h.opts.Logger.Handler(), slog.LevelDebug),
		ConnState: noteState,
	}
	s.ErrorLog.SetFlags(log.Lmsgprefix)
	return s
}

// noteState tells a guest, or what a face has made of it, that a request has begun or ended.
func noteState(c net.Conn, state http.ConnState) {
	g := c.(interface {
		Asked()
		Answered()
	})
	switch state {
	case http.StateActive:
		g.Asked()
	case http.StateIdle:
		g.Answered()
	}
}

// connKey is the key of the connection in a request's context.
type connKey struct{}

// ConnOf is the connection on which a request has come, as the listener has returned it.
func ConnOf(r *http.Request) net.Conn { return r.Context().Value(connKey{}).(net.Conn) }
