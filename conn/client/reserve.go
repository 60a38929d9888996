package client

import (
	"cmp"
	"context"
	"fmt"
	"time"

	wire "beanfield/conn/beanstalk/client"
)

// Forever is a wait that only the context ends.
const Forever time.Duration = -1

const (
	longestWait = time.Minute            // that the server is asked for at once: then it has to give a sign of life
	lead        = 100 * time.Millisecond // so much earlier than the context the server's wait ends
	again       = 50 * time.Millisecond  // the server is asked, when less than a second is left
)

// Reserve reserves the best job of these tubes; none means "default". It waits for one as long as
// wait, and then returns ErrTimedOut; 0 asks only once. A beanstalkd waits for whole seconds (rounded
// up). A Conn that holds a job with less than a second left is told ErrDeadlineSoon.
//
// At a beanfield, the end of the context calls the wait off, and the Conn goes on, with the jobs that it
// holds. A job that comes at this very moment is returned, without an error.
//
// At a beanstalkd, a context with a deadline ends the wait, too, and does no harm. One that is cancelled
// ends the connection, and all jobs that it holds go to others: so do not hold any, or give a wait.
func (c *Conn) Reserve(ctx context.Context, wait time.Duration, tubes ...string) (*Job, error) {
	jobs, err := c.reserve(ctx, wait, tubes, func(l *link, wait time.Duration) ([]wire.Reply, error) {
		if !wholeSeconds(wait) {
			return l.reserveWith(ctx, wait, 1, "")
		}
		return l.reserveOne(ctx, wait)
	})
	if err != nil {
		return nil, err
	}
	return jobs[0], nil
}

// ReserveBatch is Reserve for up to most jobs (1 to 1000): it waits for the first one, and takes what
// else there is then. Fewer jobs do not mean that there are no more. At a server without reserve-batch
// it asks for one after the other, without waiting for the answers.
func (c *Conn) ReserveBatch(ctx context.Context, most int, wait time.Duration, tubes ...string) ([]*Job, error) {
	if err := checkMost(most); err != nil {
		return nil, err
	}
	return c.reserve(ctx, wait, tubes, func(l *link, wait time.Duration) ([]wire.Reply, error) {
		switch {
		case !wholeSeconds(wait):
			return l.reserveWith(ctx, wait, most, "")
		case l.can["reserve-batch"]:
			r, err := l.await(ctx, wait, fmt.Sprintf("reserve-batch %d %d", most, wait/time.Second), nil)
			return jobsOf(r, err, "RESERVED_BATCH")
		}
		jobs, err := l.reserveOne(ctx, wait)
		if len(jobs) == 0 {
			return nil, err
		}
		pipe := l.wire.Pipe(func(r wire.Reply) error {
			if r.Word == "RESERVED" {
				jobs = append(jobs, r)
			}
			return nil
		})
		for range most - 1 {
			if err := pipe.Send("reserve-with-timeout 0"); err != nil {
				return nil, err
			}
		}
		return jobs, pipe.Flush()
	})
}

func checkMost(most int) error {
	if most < 1 || most > mostBatch {
		return fmt.Errorf("%w: up to %d jobs can be reserved at once, not %d", ErrInvalid, mostBatch, most)
	}
	return nil
}

// reserveOne waits for a job, for whole seconds.
func (l *link) reserveOne(ctx context.Context, wait time.Duration) ([]wire.Reply, error) {
	r, err := l.await(ctx, wait, fmt.Sprintf("reserve-with-timeout %d", wait/time.Second), nil)
	r.Jobs = []wire.Reply{r}
	return jobsOf(r, err, "RESERVED")
}

// reserveWith waits for jobs.
func (l *link) reserveWith(ctx context.Context, wait time.Duration, most int, options string) ([]wire.Reply, error) {
	r, err := l.await(ctx, wait, fmt.Sprintf("reserve-with timeout=%s count=%d%s", exactly(wait), most, options), nil)
	return jobsOf(r, err, "RESERVED_WITH")
}

// jobsOf are the jobs in the reply to a reserve; none if it has waited in vain.
func jobsOf(r wire.Reply, err error, want string) ([]wire.Reply, error) {
	if err != nil || r.Word == "TIMED_OUT" {
		return nil, err
	}
	return r.Jobs, r.Want(want)
}

// asking asks the server for jobs, and lets it wait so long: for whole seconds, if it has no reserve-with.
// There are none if that was in vain.
type asking func(l *link, wait time.Duration) ([]wire.Reply, error)

// reserve asks until there are jobs, or the wait or the context ends.
func (c *Conn) reserve(ctx context.Context, wait time.Duration, tubes []string, ask asking) (jobs []*Job, _ error) {
	if _, err := seconds(max(wait, 0)); err != nil {
		return nil, err
	}
	if len(tubes) == 0 {
		tubes = []string{defaultTube}
	}
	unit := time.Second
	if c.can["reserve-with"] {
		unit = time.Millisecond
	}
	err := c.withGrace(ctx, c.grace, func(l *link) error {
		if err := l.watch(tubes); err != nil {
			return err
		}
		for left := (wait + unit - 1) / unit * unit; ctx.Err() == nil; {
			part, short := longestWait, false
			if wait >= 0 {
				part = min(part, left)
			}
			if !l.can["call-off"] {
				part, short = within(ctx, part)
			}
			replies, err := ask(l, part)
			left -= part
			switch {
			case err != nil:
				return err
			case len(replies) > 0:
				jobs = c.took(l, replies, tubes)
				return nil
			case wait >= 0 && left == 0:
				return cmp.Or(ctx.Err(), ErrTimedOut)
			case short:
				if err := shortly(ctx); err != nil {
					return err
				}
			}
		}
		return ctx.Err()
	})
	return jobs, err
}

// within is how much of a wait the server may be asked for before the context ends, in whole seconds if that
// is less; short says that it is not one.
func within(ctx context.Context, wait time.Duration) (_ time.Duration, short bool) {
	end, ok := ctx.Deadline()
	if !ok || wait == 0 {
		return wait, false
	}
	left := max(0, time.Until(end)-lead).Truncate(time.Second)
	if left >= wait {
		return wait, false
	}
	return left, left == 0
}

// shortly waits until the server may be asked once more. The context's error comes before that if too
// little time is left for the answer.
func shortly(ctx context.Context) error {
	pause := again
	if end, ok := ctx.Deadline(); ok && time.Until(end) < lead {
		pause = longestWait
	}
	return rest(ctx, pause)
}

// ReserveJob reserves a job that is ready, delayed or buried; otherwise it is ErrNotFound.
func (c *Conn) ReserveJob(ctx context.Context, id uint64) (*Job, error) {
	return each(ctx, c, func(l *link) (*Job, error) {
		r, err := l.wire.Get("RESERVED", "reserve-job %d", id)
		if err != nil {
			return nil, err
		}
		return c.took(l, []wire.Reply{r}, nil)[0], nil
	})
}

// took makes Jobs of what was reserved. tubes are those that were asked for; nil if it was a job.
func (c *Conn) took(l *link, replies []wire.Reply, tubes []string) []*Job {
	jobs := make([]*Job, len(replies))
	for i, r := range replies {
		l.held[r.Number] = struct{}{}
		jobs[i] = &Job{ID: r.Number, Body: r.Body, conn: c}
		if len(tubes) == 1 {
			jobs[i].Tube = tubes[0]
		}
		jobs[i].told(r.Line)
	}
	return jobs
}
