package client

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

// Worker reserves jobs and calls a handler with each. Set its fields before Run, and not afterwards.
//
// What the handler returns decides what becomes of the job: nil deletes it; an error, and a panic,
// releases it with a delay that grows with each attempt; Bury and RetryAfter say something else. A
// handler may also delete, release or bury the job itself.
//
// A job is done at least once, and perhaps more often: whoever has done it may lose the connection
// before the server knows.
type Worker struct {
	Config      Config
	Tubes       []string          // none: "default"
	Tags        map[string]string // if there are any, only jobs that have all of them are taken, from a beanfield
	Handler     Handler           // called by several goroutines at once, if Concurrency is more than one
	Concurrency int               // jobs at a time, each with a connection of its own; 0: one

	// MaxTime is how long a handler may take. As long as that, the job is touched whenever half of
	// its TTR is over, so that nobody else gets it while it is worked on. Without a MaxTime nothing
	// is touched, and a handler may take a tenth less than the TTR, but no more than a second less.
	// The handler's context ends then; and it ends if the job is lost, such as with the connection,
	// as far as a touch has noticed that.
	MaxTime time.Duration
	// TTR is that of the jobs, if it is known. Without it, the server is asked about each job, and
	// tells whole seconds, rounded up: jobs with parts of a second need it.
	TTR time.Duration
	// Retry is how long a job is delayed after a failure; the zero Backoff: 1 s to 10 min. Delays are
	// rounded up to seconds.
	Retry Backoff
	// Attempts is how often a job is reserved at most: one that fails then is buried. 0: as often as
	// it takes.
	Attempts int
	// Report is told of each error: of a job, or, without one, of connecting and reserving. It may
	// be called by several goroutines at once. nil: slog.Default.
	Report func(job *Job, err error)
	// Done is told what has become of each job that the handler had, for metrics. It may be called by several
	// goroutines at once. nil: nobody is told.
	Done func(Outcome)

	once     sync.Once
	stopping chan struct{} // closed by Shutdown
	finished chan struct{} // closed when Run has no job in hand any more
	mu       sync.Mutex    // protects the rest
	started  bool
	stopped  bool
	abandon  context.CancelFunc // ends the handlers' contexts
}

func (w *Worker) prepare() {
	w.once.Do(func() { w.stopping, w.finished = make(chan struct{}), make(chan struct{}) })
}

// check fills in what was left out.
func (w *Worker) check() (err error) {
	w.prepare()
	if w.Config, err = w.Config.filled(); err != nil {
		return err
	}
	for _, tube := range w.Tubes {
		if err := checkTube(tube); err != nil {
			return err
		}
	}
	switch {
	case w.Handler == nil:
		return fmt.Errorf("%w: a Worker without a Handler", ErrInvalid)
	case w.Concurrency < 0, w.MaxTime < 0, w.TTR < 0, w.Attempts < 0, w.Retry.Min < 0, w.Retry.Max < 0:
		return fmt.Errorf("%w: a negative number in a Worker", ErrInvalid)
	case w.TTR > 0 && w.TTR < time.Millisecond: // the server knows none, and 60 is not a minute
		return fmt.Errorf("%w: jobs have no TTR of %v", ErrInvalid, w.TTR)
	}
	w.Concurrency = max(w.Concurrency, 1)
	w.Retry = w.Retry.or(time.Second, 10*time.Minute)
	if w.Report == nil {
		w.Report = func(job *Job, err error) {
			if job != nil {
				slog.Error("a job has failed", "id", job.ID, "error", err)
			} else {
				slog.Error("a worker gets no jobs", "error", err)
			}
		}
	}
	return nil
}

// Run works until Shutdown has been called, and returns nil then, or until the context ends, and
// returns its error. The handlers' contexts end with it, and what they could not do is released at
// once; for letting them finish there is Shutdown. Run returns when no handler runs any more. If the
// connection is lost, or no server can be reached, it reports that and connects again, with growing
// pauses. A Worker runs once.
func (w *Worker) Run(ctx context.Context) error {
	if err := w.check(); err != nil {
		return err
	}
	working, abandon := context.WithCancel(ctx)
	defer abandon()
	taking, enough := context.WithCancel(working)
	defer enough()
	w.mu.Lock()
	if w.started || w.stopped {
		w.mu.Unlock()
		return ErrClosed
	}
	w.started, w.abandon = true, abandon
	w.mu.Unlock()
	var all sync.WaitGroup
	for range w.Concurrency {
		all.Go(func() { w.serve(working, taking) })
	}
	select {
	case <-w.stopping:
		enough()
	case <-ctx.Done():
	}
	all.Wait()
	close(w.finished)
	return ctx.Err()
}

// Shutdown takes no more jobs, and waits until those in hand are done. If the context ends before
// that, the handlers' contexts end as well, and Shutdown returns the context's error at once.
func (w *Worker) Shutdown(ctx context.Context) error {
	w.prepare()
	w.mu.Lock()
	if !w.stopped {
		w.stopped = true
		close(w.stopping)
	}
	started, abandon := w.started, w.abandon
	w.mu.Unlock()
	if !started {
		return nil
	}
	select {
	case <-w.finished:
		return nil
	case <-ctx.Done():
		abandon()
		return ctx.Err()
	}
}

// serve is one of the goroutines: it takes jobs until the one context ends, and works until the other
// one does.
func (w *Worker) serve(working, taking context.Context) {
	failures := 0
	for taking.Err() == nil {
		l, err := w.Config.link(taking)
		if err == nil {
			c := newConn(l, nil)
			err = w.take(working, taking, c, &failures)
			_ = c.Close() // what it holds goes back
		}
		if taking.Err() != nil {
			return
		}
		w.Report(nil, err)
		failures++
		if w.Config.Retry.wait(taking, failures) != nil {
			return
		}
	}
}

// take takes jobs from one connection, as long as there is no error. Between jobs it holds none, so a
// wait may be cancelled.
func (w *Worker) take(working, taking context.Context, c *Conn, failures *int) error {
	for {
		job, err := w.next(taking, c)
		if err != nil {
			return err
		}
		*failures = 0
		if err := w.handle(working, job); errors.Is(err, ErrLost) || errors.Is(err, ErrClosed) {
			return err
		} else if err != nil {
			w.Report(job, err)
		}
	}
}

// next reserves a job. With reserve-with, the server tells its tube and the number of the attempt.
func (w *Worker) next(taking context.Context, c *Conn) (*Job, error) {
	if len(w.Tags) == 0 && !c.Has("reserve-with") {
		return c.Reserve(taking, Forever, w.Tubes...)
	}
	jobs, err := c.ReserveTagged(taking, w.Tags, 1, Forever, w.Tubes...)
	if err != nil {
		return nil, err
	}
	return jobs[0], nil
}
