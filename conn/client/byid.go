package client

import (
	"context"
	"fmt"
	"time"
)

// Delete deletes a job by its id: one that this Conn has reserved, or that nobody has.
func (c *Conn) Delete(ctx context.Context, id uint64) error { return c.one(ctx, deletes(id)) }

// Release is Job.Release, by the id.
func (c *Conn) Release(ctx context.Context, id uint64, priority uint32, delay time.Duration) error {
	return c.one(ctx, releases(id, priority, delay))
}

// Bury is Job.Bury, by the id.
func (c *Conn) Bury(ctx context.Context, id uint64, priority uint32) error {
	return c.one(ctx, buries(id, priority))
}

// Touch is Job.Touch, by the id.
func (c *Conn) Touch(ctx context.Context, id uint64) error { return c.one(ctx, touches(id)) }

// KickJob makes a buried or delayed job ready.
func (c *Conn) KickJob(ctx context.Context, id uint64) error { return c.one(ctx, kicks(id)) }

// DeleteBatch deletes many jobs, and returns how many there were: with each of those that were not
// there, or are somebody else's, it is one less. It sends delete-batch where the server has it, and
// otherwise deletes that do not wait for each other. After an error the number is what is known.
func (c *Conn) DeleteBatch(ctx context.Context, ids []uint64) (int, error) {
	return c.batch(ctx, ids, batch{verb: "delete-batch", want: "DELETED_BATCH", leaves: true,
		single: deletes})
}

// ReleaseBatch releases many jobs as DeleteBatch deletes them.
func (c *Conn) ReleaseBatch(ctx context.Context, ids []uint64, priority uint32, delay time.Duration) (int, error) {
	s, err := seconds(delay)
	if err != nil {
		return 0, err
	}
	return c.batch(ctx, ids, batch{verb: "release-batch", args: fmt.Sprintf(" %d %d", priority, s),
		want: "RELEASED_BATCH", leaves: true,
		single: func(id uint64) step { return releases(id, priority, delay) }})
}

// BuryBatch buries many jobs as DeleteBatch deletes them.
func (c *Conn) BuryBatch(ctx context.Context, ids []uint64, priority uint32) (int, error) {
	return c.batch(ctx, ids, batch{verb: "bury-batch", args: fmt.Sprintf(" %d", priority), want: "BURIED_BATCH",
		leaves: true,
		single: func(id uint64) step { return buries(id, priority) }})
}

// TouchBatch touches many jobs as DeleteBatch deletes them.
func (c *Conn) TouchBatch(ctx context.Context, ids []uint64) (int, error) {
	return c.batch(ctx, ids, batch{verb: "touch-batch", want: "TOUCHED_BATCH", single: touches})
}

// TouchBatchFor is TouchBatch with a time that the jobs have from now on instead of their own TTR, exact to
// a millisecond. A beanstalkd cannot do it.
func (c *Conn) TouchBatchFor(ctx context.Context, ids []uint64, ttr time.Duration) (int, error) {
	if _, err := seconds(ttr); err != nil || ttr == 0 {
		return 0, fmt.Errorf("%w: jobs cannot be touched for %v", ErrInvalid, ttr)
	}
	if !c.can["touch-batch"] {
		return 0, fmt.Errorf("touch-batch: %w", ErrUnsupported)
	}
	return c.batch(ctx, ids, batch{verb: "touch-batch", want: "TOUCHED_BATCH", options: " ttr=" + exactly(ttr)})
}

// batch is one of the commands for many ids.
type batch struct {
	verb, args, want, options string
	leaves                    bool // the jobs are not reserved afterwards
	single                    func(id uint64) step
}

func (c *Conn) batch(ctx context.Context, ids []uint64, b batch) (n int, _ error) {
	err := c.with(ctx, func(l *link) error {
		for len(ids) > 0 {
			part := ids[:min(len(ids), mostBatch)]
			ids = ids[len(part):]
			did, err := l.some(part, b)
			n += did
			if err != nil {
				return err
			}
		}
		return nil
	})
	return n, err
}

// some is for as many as one command takes.
func (l *link) some(ids []uint64, b batch) (n int, _ error) {
	if !l.can[b.verb] {
		steps := make([]step, len(ids))
		for i, id := range ids {
			steps[i] = b.single(id)
		}
		results := unsent(len(ids))
		err := l.run(steps, results)
		for _, r := range results {
			if r.Err == nil {
				n++
			} else if err == nil && !isNotFound(r.Err) {
				err = r.Err
			}
		}
		return n, err
	}
	var body []byte
	for _, id := range ids {
		body = fmt.Appendf(body, "%d ", id)
	}
	r, err := l.wire.Put(fmt.Sprintf("%s%s %d%s", b.verb, b.args, len(body), b.options), body)
	if err == nil {
		err = r.Want(b.want)
	}
	if err != nil {
		return 0, err
	}
	if b.leaves {
		for _, id := range ids {
			delete(l.held, id)
		}
	}
	return int(r.Number), nil
}
