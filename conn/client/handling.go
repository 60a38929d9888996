package client

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"
)

// decision is an error that says what is to become of the job.
type decision struct {
	err   error
	bury  bool
	delay time.Duration
}

func (d *decision) Error() string { return d.err.Error() }
func (d *decision) Unwrap() error { return d.err }

// Bury is an error for a handler to return: the job is buried, because it would fail again.
func Bury(err error) error { return &decision{err: reason(err), bury: true} }

// RetryAfter is an error for a handler to return: the job is released with this delay.
func RetryAfter(delay time.Duration, err error) error {
	return &decision{err: reason(err), delay: max(delay, 0)}
}

func reason(err error) error {
	if err == nil {
		return errors.New("the handler gives no reason")
	}
	return err
}

// Outcome is what a Worker tells of a job that its handler had.
type Outcome struct {
	Job  *Job
	Fate string        // "deleted", "released", "buried"; "settled" by the handler itself; "unknown": that has failed
	Took time.Duration // by the handler
	Err  error         // of the handler
}

// handling is one job in the hands of a Worker.
type handling struct {
	w     *Worker
	job   *Job
	ttr   time.Duration
	stats Document        // of the job; nil: not known yet
	quiet context.Context // that nobody cancels, as that would end the connection
}

// handle calls the handler, and deals with the job as it says. The error is one of the server or of
// the connection: that of a handler has been reported.
func (w *Worker) handle(working context.Context, job *Job) error {
	since := time.Now()
	h := &handling{w: w, job: job, ttr: w.TTR, quiet: context.WithoutCancel(working)}
	if h.ttr == 0 {
		if err := h.ask(); err != nil {
			return fmt.Errorf("before the handler: %w", err)
		}
		job.Tube, job.Reserves = h.stats.Get("tube"), int(h.stats.Number("reserves"))
		h.ttr = max(time.Duration(h.stats.Number("ttr"))*time.Second, time.Second)
	}
	limit := w.MaxTime
	if limit == 0 {
		limit = h.ttr - min(h.ttr/10, time.Second)
	}
	ctx, cancel := context.WithDeadline(working, since.Add(limit))
	defer cancel()
	ctx, lose := context.WithCancelCause(ctx)
	defer lose(nil)
	touched := make(chan struct{})
	close(touched)
	if w.MaxTime > 0 {
		touched = make(chan struct{})
		go func() {
			defer close(touched)
			h.touch(ctx, lose)
		}()
	}
	called := time.Now()
	err := h.call(ctx)
	o := Outcome{Job: job, Took: time.Since(called), Err: err}
	cancel()
	<-touched
	if err != nil {
		w.Report(job, err)
	}
	o.Fate, err = h.settle(err, working.Err() != nil)
	if err != nil {
		o.Fate = "unknown"
	}
	if w.Done != nil {
		w.Done(o)
	}
	return err
}

func (h *handling) ask() (err error) {
	if h.stats == nil {
		h.stats, err = h.job.Stats(h.quiet)
	}
	return err
}

// touch touches the job until the context ends, or it is lost.
func (h *handling) touch(ctx context.Context, lose context.CancelCauseFunc) {
	tick := time.NewTicker(h.ttr / 2)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		switch err := h.job.Touch(h.quiet); {
		case errors.Is(err, ErrTaken):
			return // by the handler
		case err != nil:
			lose(err)
			return
		}
	}
}

var errExited = errors.New("the handler has ended its goroutine")

// call calls the handler, and makes an error of a panic. The handler has a goroutine of its own: if it ends that with
// runtime.Goexit, as FailNow of a test does, the worker goes on.
func (h *handling) call(ctx context.Context) error {
	done := make(chan error, 1)
	go func() {
		err := errExited
		defer func() {
			if v := recover(); v != nil {
				err = &PanicError{v, debug.Stack()}
			}
			done <- err
		}()
		err = h.w.Handler(ctx, h.job)
	}()
	return <-done
}

// settle does with the job what the handler's error says. abandoned: the worker ends, which is no
// failure of the job's.
func (h *handling) settle(failure error, abandoned bool) (fate string, _ error) {
	if h.job.done.Load() {
		return "settled", nil
	}
	if failure == nil {
		return "deleted", h.job.Delete(h.quiet)
	}
	if err := h.ask(); err != nil {
		return "unknown", fmt.Errorf("after the handler: %w", err)
	}
	priority, attempts := uint32(h.stats.Number("pri")), int(h.stats.Number("reserves"))
	var d *decision
	decided := errors.As(failure, &d)
	delay := h.w.Retry.After(max(attempts, 1))
	tooOften := h.w.Attempts > 0 && attempts >= h.w.Attempts
	switch {
	case decided && d.bury, tooOften && !abandoned:
		return "buried", h.job.Bury(h.quiet, priority)
	case decided:
		delay = d.delay
	case abandoned:
		delay = 0
	}
	return "released", h.job.Release(h.quiet, priority, delay)
}
