package httpfront

import (
	"context"
	"log"
	"log/slog"
	"net"
	"net/http"
)

// Handler answers the requests of a front's clients.
type Handler interface {
	http.Handler // gets those that the guard lets in (HA4)
	// Guard is the guard that holds now.
	Guard() *Guard
	// Exposed says whether anybody is let in with this request: see Authenticator.Exposed.
	Exposed(*http.Request) bool
	// TurnAway answers a request that the guard refuses.
	TurnAway(w http.ResponseWriter, r *http.Request, status int, why error)
}

// guarded is a handler behind its guard.
type guarded struct{ Handler }

// ServeHTTP implements http.Handler.
func (f guarded) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g := clientOf(ConnOf(r))
	switch err := f.Guard().check(r, g.Secured(), g.local && f.Exposed(r)); err {
	case nil:
		f.Handler.ServeHTTP(w, r)
	case ErrHost:
		f.TurnAway(w, r, http.StatusMisdirectedRequest, err)
	default:
		f.TurnAway(w, r, http.StatusForbidden, err)
	}
}

// clientOf finds the client, or the one that a front end has made something of.
func clientOf(c net.Conn) *Client { return c.(interface{ self() *Client }).self() }

// Server makes what serves the clients' requests. They all get ctx, and ConnOf finds their
// connection.
func (h *Front) Server(ctx context.Context, f Handler) *http.Server {
	s := &http.Server{
		Handler: guarded{f}, ReadHeaderTimeout: h.opts.ReadTimeout, IdleTimeout: h.opts.IdleTimeout,
		MaxHeaderBytes:               h.opts.MaxHeader,
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

// noteState tells a client, or what a front end has made of it, that a request has begun or ended.
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
