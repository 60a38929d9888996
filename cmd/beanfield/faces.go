package main

import (
	"context"
	"errors"
	"log/slog"
	"net"

	"beanfield/conn"
	"beanfield/conn/beanstalk"
	"beanfield/conn/queueservice"
	"beanfield/router"
)

// faces are all ways of serving clients, and the acceptor that lets clients in.
type faces struct {
	router    *router.Router
	acceptor  *conn.Acceptor
	beanstalk *beanstalk.Server
	queue     *queueservice.Server // nil if it has no address
}

// queueListener is a listener whose clients are for the queue service.
type queueListener struct{ net.Listener }

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
	f := &faces{r, a, b, nil}
	if len(c.Queue.Listen) > 0 {
		f.queue, err = newQueueService(c, r, a, log)
	}
	return f, err
}

func newQueueService(c *Config, r *router.Router, a *conn.Acceptor, log *slog.Logger) (*queueservice.Server, error) {
	q := &c.Queue
	return queueservice.NewServer(r, a, queueservice.Options{
		LimitsFor:      q.limitsFor(),
		Backend:        c.Storage.Backend,
		DefaultService: q.DefaultService,
		Tokens:         q.Tokens,
		Origins:        q.Origins,
		DeadAfter:      q.DeadAfter,
		Logger:         log,
	})
}

// Serve accepts clients from a listener until Shutdown.
func (f *faces) Serve(l net.Listener) error {
	if q, ok := l.(queueListener); ok {
		return f.acceptor.Serve(q.Listener, f.queue)
	}
	return f.acceptor.Serve(l, f.beanstalk)
}

// Drain makes every later put answer DRAINING. It cannot be undone.
func (f *faces) Drain() { f.router.Drain() }

// Shutdown stops accepting, and then closes the connections cleanly. The queue service
// stops first, before the last replies to beanstalk clients are sent.
func (f *faces) Shutdown(ctx context.Context) error {
	f.acceptor.Stop()
	var err error
	if f.queue != nil {
		err = f.queue.Shutdown(ctx)
	}
	return errors.Join(err, f.beanstalk.Shutdown(ctx))
}
