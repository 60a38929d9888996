package main

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"beanfield/router"
)

const (
	// longRecovery is when a start has become worth a line for everybody.
	longRecovery = time.Second
	// While it recovers, the process asks systemd every patienceEvery for
	// patienceAsked more, so that a large store is not killed half way, again
	// and again.
	patienceEvery = 10 * time.Second
	patienceAsked = "EXTEND_TIMEOUT_USEC=30000000"
)

// openRouter opens the store and recovers its jobs. Without a router and
// without an error the process was told to end meanwhile.
func openRouter(stop context.Context, c *Config, log *slog.Logger) (*router.Router, error) {
	p := &progress{Handler: log.Handler(), opening: &atomic.Bool{}, begun: time.Now()}
	p.opening.Store(true)
	defer p.opening.Store(false)
	store, err := newStore(c, slog.New(p))
	if err != nil {
		return nil, err
	}
	r, err := await(stop, log, func() (*router.Router, error) {
		return router.New(router.Options{
			Shards: shards(c),
			Store:  store,
			Budget: memoryBudget(c),
			Logger: slog.New(p),
		})
	})
	return r, storeError(err)
}

// await returns what open does. It does not wait for it once the process is
// told to end: a recovery is as safe against a kill as anything else, and may
// take minutes.
func await[T any](stop context.Context, log *slog.Logger, open func() (*T, error)) (*T, error) {
	type result struct {
		opened *T
		err    error
	}
	done := make(chan result, 1)
	go func() {
		opened, err := open()
		done <- result{opened, err}
	}()
	late := time.NewTimer(longRecovery)
	defer late.Stop()
	patience := time.NewTicker(patienceEvery)
	defer patience.Stop()
	for {
		select {
		case r := <-done:
			return r.opened, r.err
		case <-late.C:
			log.Warn("recovering jobs takes a while; clients wait until it is done")
		case <-patience.C:
			tell(log, patienceAsked)
		case <-stop.Done():
			return nil, nil
		}
	}
}

// progress is a log handler that lets news through at the level of warnings
// while a long recovery goes on: an operator who hears nothing of a server that
// does not answer would take it for dead, and kill it.
type progress struct {
	slog.Handler
	opening *atomic.Bool
	begun   time.Time
}

func (p *progress) late() bool { return p.opening.Load() && time.Since(p.begun) >= longRecovery }

func (p *progress) Enabled(ctx context.Context, level slog.Level) bool {
	if level == slog.LevelInfo && p.late() {
		level = slog.LevelWarn
	}
	return p.Handler.Enabled(ctx, level)
}

func (p *progress) Handle(ctx context.Context, r slog.Record) error {
	if !p.Handler.Enabled(ctx, r.Level) {
		r.Level = slog.LevelWarn
	}
	return p.Handler.Handle(ctx, r)
}

func (p *progress) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &progress{p.Handler.WithAttrs(attrs), p.opening, p.begun}
}

func (p *progress) WithGroup(name string) slog.Handler {
	return &progress{p.Handler.WithGroup(name), p.opening, p.begun}
}
