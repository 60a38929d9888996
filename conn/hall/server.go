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

// Server makes what serves the guests' requests. They all get ctx, and ConnOf finds their
// connection.
func (h *Hall) Server(ctx context.Context, handler http.Handler, b Bounds) *http.Server {
	s := &http.Server{
		Handler: handler, ReadHeaderTimeout: b.ReadTimeout, IdleTimeout: b.IdleTimeout, MaxHeaderBytes: b.MaxHeader,
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
