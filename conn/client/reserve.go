package client

import (
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
// wait, in whole seconds (rounded up), and then returns ErrTimedOut; 0 asks only once. A Conn that
// holds a job with less than a second left is told ErrDeadlineSoon.
//
// A context with a deadline ends the wait, too, and does no harm. One that is cancelled ends the
// connection, and all jobs that it holds go to others: so do not hold any, or give a wait.
func (c *Conn) Reserve(ctx context.Context, wait time.Duration, tubes ...string) (*Job, error) {
	jobs, err := c.reserve(ctx, wait, tubes, func(l *link, seconds uint32) ([]wire.Reply, error) {
		r, err := l.wire.AskWithin(time.Duration(seconds)*time.Second, fmt.Sprintf("reserve-with-timeout %d", seconds))
		if err != nil || r.Word == "TIMED_OUT" {
			return nil, err
		}
		return []wire.Reply{r}, r.Want("RESERVED")
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
	if most < 1 || most > mostBatch {
		return nil, fmt.Errorf("%w: up to %d jobs can be reserved at once, not %d", ErrInvalid, mostBatch, most)
	}
	return c.reserve(ctx, wait, tubes, func(l *link, seconds uint32) ([]wire.Reply, error) {
		if l.can["reserve-batch"] {
			return l.wire.ReserveBatch(uint32(most), seconds)
		}
		r, err := l.wire.AskWithin(time.Duration(seconds)*time.Second, fmt.Sprintf("reserve-with-timeout %d", seconds))
		if err != nil || r.Word == "TIMED_OUT" {
			return nil, err
		}
		if err := r.Want("RESERVED"); err != nil {
			return nil, err
		}
		jobs := []wire.Reply{r}
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

// asking asks the server for jobs, and lets it wait so long. There are none if that was in vain.
type asking func(l *link, seconds uint32) ([]wire.Reply, error)

// reserve asks until there are jobs, or the wait or the context ends.
func (c *Conn) reserve(ctx context.Context, wait time.Duration, tubes []string, ask asking) ([]*Job, error) {
	var left uint32 // seconds
	if wait >= 0 {
		var err error
		if left, err = seconds(wait); err != nil {
			return nil, err
		}
	}
	if len(tubes) == 0 {
		tubes = []string{defaultTube}
	}
	return each(ctx, c, func(l *link) ([]*Job, error) {
		if err := l.watch(tubes); err != nil {
			return nil, err
		}
		for {
			most := uint32(longestWait / time.Second)
			if wait >= 0 {
				most = min(most, left)
			}
			part, short := within(ctx, most)
			replies, err := ask(l, part)
			left -= part
			switch {
			case err != nil:
				return nil, err
			case len(replies) > 0:
				return c.took(l, replies, tubes), nil
			case wait >= 0 && left == 0:
				return nil, ErrTimedOut
			case short:
				if err := shortly(ctx); err != nil {
					return nil, err
				}
			}
		}
	})
}

// within is how many of so many seconds the server may be asked to wait before the context ends; short
// says that it is not one.
func within(ctx context.Context, seconds uint32) (_ uint32, short bool) {
	end, ok := ctx.Deadline()
	if !ok || seconds == 0 {
		return seconds, false
	}
	left := max(0, time.Until(end)-lead) / time.Second
	if left >= time.Duration(seconds) {
		return seconds, false
	}
	return uint32(left), left == 0
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
		r, err := l.ask("RESERVED", "reserve-job %d", id)
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
