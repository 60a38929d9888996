package client

import (
	"context"
	"fmt"
	"strconv"
	"time"

	wire "beanfield/conn/beanstalk/client"
)

// Document is a list of keys and values, such as an answer of stats, in the server's order.
type Document = wire.Document

// ListedJob is a job as Jobs shows it. The Document has the keys of stats-job, and size, holder and
// held.
type ListedJob = wire.ListedJob

// Policies are those of a server's tubes, as Conn.Policies shows them.
type Policies = wire.Policies

// PoliciesError is why SetPolicies was refused.
type PoliciesError = wire.ErrPolicies

// Peeked is a job that was looked at, and not reserved.
type Peeked struct {
	ID   uint64
	Body []byte
}

// State is where a job of a tube is.
type State string

// The states by which Peek and Filter choose.
const (
	Ready    State = "ready"
	Delayed  State = "delayed"
	Reserved State = "reserved"
	Buried   State = "buried"
)

// PeekJob looks at a job.
func (c *Conn) PeekJob(ctx context.Context, id uint64) (Peeked, error) {
	return each(ctx, c, func(l *link) (Peeked, error) { return l.peek("peek %d", id) })
}

// Peek looks at the next job of a tube in a state: Ready, Delayed or Buried.
func (c *Conn) Peek(ctx context.Context, tube string, state State) (Peeked, error) {
	if state != Ready && state != Delayed && state != Buried {
		return Peeked{}, fmt.Errorf("%w: there is no next job that is %s", ErrInvalid, state)
	}
	return each(ctx, c, func(l *link) (Peeked, error) {
		if err := l.use(tube); err != nil {
			return Peeked{}, err
		}
		return l.peek("peek-%s", state)
	})
}

func (l *link) peek(format string, what any) (Peeked, error) {
	r, err := l.wire.Get("FOUND", format, what)
	return Peeked{r.Number, r.Body}, err
}

// Kick makes up to so many buried jobs of a tube ready or, if there are none, delayed ones, and
// returns how many.
func (c *Conn) Kick(ctx context.Context, tube string, most uint32) (int, error) {
	return each(ctx, c, func(l *link) (int, error) {
		if err := l.use(tube); err != nil {
			return 0, err
		}
		r, err := l.wire.Get("KICKED", "kick %d", most)
		return int(r.Number), err
	})
}

// Pause lets nobody reserve jobs of a tube for so long, in whole seconds (rounded up).
func (c *Conn) Pause(ctx context.Context, tube string, d time.Duration) error {
	s, err := seconds(d)
	if err == nil {
		err = checkTube(tube)
	}
	if err != nil {
		return err
	}
	return c.one(ctx, step{line: fmt.Sprintf("pause-tube %s %d", tube, s), want: "PAUSED"})
}

// Truncate deletes all jobs of a tube that nobody has reserved, and returns how many there were. A
// beanstalkd cannot do it.
func (c *Conn) Truncate(ctx context.Context, tube string) (int, error) {
	if err := checkTube(tube); err != nil {
		return 0, err
	}
	return added(ctx, c, "truncate", func(w *wire.Client) (int, error) {
		n, err := w.Truncate(tube)
		return int(n), err
	})
}

// Tubes are the names of all tubes.
func (c *Conn) Tubes(ctx context.Context) ([]string, error) {
	return each(ctx, c, func(l *link) ([]string, error) { return l.wire.Tubes() })
}

// Stats are those of the server.
func (c *Conn) Stats(ctx context.Context) (Document, error) { return c.document(ctx, "stats") }

// StatsTube are those of a tube.
func (c *Conn) StatsTube(ctx context.Context, tube string) (Document, error) {
	if err := checkTube(tube); err != nil {
		return nil, err
	}
	return c.document(ctx, "stats-tube "+tube)
}

// StatsJob are those of a job.
func (c *Conn) StatsJob(ctx context.Context, id uint64) (Document, error) {
	return c.document(ctx, "stats-job "+strconv.FormatUint(id, 10))
}

func (c *Conn) document(ctx context.Context, command string) (Document, error) {
	return each(ctx, c, func(l *link) (Document, error) { return l.wire.Stats(command) })
}
