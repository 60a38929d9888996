package main

import (
	"context"
	"log/slog"
	"net"

	"beanfield/conn"
	"beanfield/conn/beanstalk"
	"beanfield/router"
)

// faces are all ways of serving clients, and the acceptor that lets clients in.
type faces struct {
	router    *router.Router
	acceptor  *conn.Acceptor
	beanstalk *beanstalk.Server
}

// quoting is what the words of stats.quote_strings mean.
var quoting = map[string]beanstalk.Quoting{
	quoteNeeded: beanstalk.QuoteNeeded,
	quoteAlways: beanstalk.QuoteAlways,
	quoteNever:  beanstalk.QuoteNever,
}

// newFaces makes them as the configuration says, without listeners.
func newFaces(c *Config, r *router.Router, log *slog.Logger) (*faces, error) {
	a, err := conn.NewAcceptor(conn.Options{MaxConnections: c.Limits.MaxConnections, Logger: log})
	if err != nil {
		return nil, err
	}
	b, err := beanstalk.NewServer(r, a, beanstalk.Options{
		MaxJobSize:    int(c.Limits.MaxJobSize),
		Loops:         c.Loops,
		Quoting:       quoting[c.Stats.QuoteStrings],
		BinlogMaxSize: c.BinlogMaxSize,
		Version:       version,
		Logger:        log,
	})
	if err != nil {
		return nil, err
	}
	return &faces{r, a, b}, nil
}

// Serve accepts clients from a listener until Shutdown.
func (f *faces) Serve(l net.Listener) error { return f.acceptor.Serve(l, f.beanstalk) }

// Drain makes every later put answer DRAINING. It cannot be undone.
func (f *faces) Drain() { f.router.Drain() }

// Shutdown stops accepting, and then closes the connections cleanly.
func (f *faces) Shutdown(ctx context.Context) error {
	f.acceptor.Stop()
	return f.beanstalk.Shutdown(ctx)
}
