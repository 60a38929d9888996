package main

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"beanfield/cmd/beanfield/config"
	"beanfield/cmd/beanfield/node"
	"beanfield/router"
	"beanfield/storage"
)

const (
	// longRecovery is how long a start may take before the log says so.
	longRecovery = time.Second
	// While jobs are recovered, the process asks systemd every patienceEvery for
	// more time, so that systemd does not kill a server with a large store half
	// way, again and again.
	patienceEvery = 10 * time.Second
	patienceAsked = "EXTEND_TIMEOUT_USEC=30000000"
)

// openRouter opens the store and recovers its jobs. If the process is told to end
// meanwhile, there is neither a router nor an error.
func openRouter(stop context.Context, c *config.Config, t node.Term, steps *storage.Steps,
	log *slog.Logger) (*router.Router, error) {
	p := &progress{Handler: log.Handler(), opening: &atomic.Bool{}, begun: time.Now()}
	p.opening.Store(true)
	defer p.opening.Store(false)
	if r := t.Ready(); r != nil {
		return r, nil
	}
	store, err := t.Store(c, steps, slog.New(p))
	if err != nil {
		return nil, err
	}
	r, err := await(stop, log, waitForJobs, func() (*router.Router, error) {
		return router.New(router.Options{
			Shards: t.Shards(c),
			Store:  store,
			Budget: node.Budget(c),
			Logger: slog.New(p),
			Steps:  steps,

			PolicyFor: c.PolicyFor(), Kept: c.PoliciesWith,
		})
	})
	return r, node.Failure(err)
}

// waiting is what the log says of a part of the start that takes long, or is cut short.
type waiting struct{ late, ended string }

var (
	waitForJobs = waiting{"recovering jobs takes a while; clients wait until it is done",
		"ending before all jobs are recovered; the next start recovers them"}
	waitForNodes = waiting{"waiting for other nodes of the cluster", "ending before the cluster has enough nodes"}
)

// await returns what open returns, or nil as soon as the process is told to end:
// a recovery may take minutes, and it is as safe against being cut short as against
// a kill.
func await[T any](stop context.Context, log *slog.Logger, w waiting, open func() (*T, error)) (*T, error) {
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
			notice(log, w.late)
		case <-patience.C:
			tell(log, patienceAsked)
		case <-stop.Done():
			notice(log, w.ended)
			return nil, nil
		}
	}
}

// progress is a log handler that raises information to notices while a long recovery
// goes on. If a server does not answer and logs nothing, an operator would take it for
// dead, and kill it.
type progress struct {
	slog.Handler
	opening *atomic.Bool
	begun   time.Time
}

func (p *progress) raised(level slog.Level) slog.Level {
	if level == slog.LevelInfo && p.opening.Load() && time.Since(p.begun) >= longRecovery {
		return config.LevelNotice
	}
	return level
}

func (p *progress) Enabled(ctx context.Context, level slog.Level) bool {
	return p.Handler.Enabled(ctx, p.raised(level))
}

func (p *progress) Handle(ctx context.Context, r slog.Record) error {
	r.Level = p.raised(r.Level)
	return p.Handler.Handle(ctx, r)
}

func (p *progress) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &progress{p.Handler.WithAttrs(attrs), p.opening, p.begun}
}

func (p *progress) WithGroup(name string) slog.Handler {
	return &progress{p.Handler.WithGroup(name), p.opening, p.begun}
}

const (
	// slowStart is how long a start may take before the log says what it is doing. It says
	// so again after twice as long each time, and at last every slowStartMost.
	slowStart     = 5 * time.Second
	slowStartMost = time.Minute
)

// watchStart says in the log what a start is doing that takes long, until end is called, and then
// what took longest.
func watchStart(steps *storage.Steps, log *slog.Logger) (end func()) {
	begun, stop := time.Now(), make(chan struct{})
	var said sync.WaitGroup
	said.Go(func() {
		for wait := slowStart; ; wait = min(2*wait, slowStartMost) {
			late := time.NewTimer(wait)
			select {
			case <-late.C:
				notice(log, "the start takes long", "seconds", time.Since(begun).Seconds(), "doing", steps.Doing())
			case <-stop:
				late.Stop()
				return
			}
		}
	})
	return sync.OnceFunc(func() {
		close(stop)
		said.Wait()
		if took := time.Since(begun); took >= slowStart {
			notice(log, "the start took long", "seconds", took.Seconds(), "longest", steps.Longest())
		}
	})
}
