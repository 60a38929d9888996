package client

import (
	"context"
	"errors"
	"fmt"
	"strings"

	wire "beanfield/conn/beanstalk/client"
)

// Put puts a job and returns its id.
func (c *Conn) Put(ctx context.Context, job NewJob) (id uint64, _ error) {
	job, err := job.filled()
	if err != nil {
		return 0, err
	}
	grace := c.grace
	if job.Wait == 0 {
		grace = 0
	}
	err = c.withGrace(ctx, grace, func(l *link) error {
		line, err := job.line(l, func() error { return nil })
		if err != nil {
			return err
		}
		r, err := l.await(ctx, job.Wait, line, &job.Body)
		if err != nil && r.Word != "INSERTED" {
			return err
		}
		id, err = inserted(r, "INSERTED")
		if errors.Is(err, ErrNoRoom) && job.Wait > 0 && ctx.Err() != nil {
			return ctx.Err() // the wait was called off
		}
		return err
	})
	if id != 0 {
		return id, nil // also if the connection was lost behind this answer
	}
	return 0, err
}

// inserted reads the reply to a put.
func inserted(r wire.Reply, want string) (uint64, error) {
	if r.Word == "EXISTS" {
		return 0, &ExistsError{r.Number}
	}
	if err := r.Want(want); err != nil {
		return 0, translated(err)
	}
	return r.Number, nil
}

// PutBatch puts jobs in their order and returns what became of each: as many Results as there are
// jobs, also with an error. It takes as few commands as the server allows: put-batch where there
// is one, and otherwise puts that do not wait for each other. An error is one of the connection;
// that a job is refused is in its Result.
func (c *Conn) PutBatch(ctx context.Context, jobs []NewJob) ([]Result, error) {
	results := unsent(len(jobs))
	err := c.with(ctx, func(l *link) error {
		if !l.can["put-batch"] {
			return l.putEach(jobs, results)
		}
		for rest := results; len(rest) > 0; {
			// What does not go into a batch is put alone, and so is what is refused in one, where nothing was
			// put then: this may be an older server, which knows fewer options.
			n, body := packed(jobs)
			err := ErrRefused
			if n > 1 {
				err = l.putPacked(rest[:n], body)
			}
			if n = max(n, 1); errors.Is(err, ErrRefused) {
				err = l.putEach(jobs[:n], rest[:n])
			}
			if err != nil {
				return err
			}
			jobs, rest = jobs[n:], rest[n:]
		}
		return nil
	})
	return results, err
}

// putEach puts jobs without put-batch.
func (l *link) putEach(jobs []NewJob, results []Result) error {
	var p Pipeline
	for _, j := range jobs {
		p.Put(j)
	}
	return l.run(p.steps, results)
}

// Bounds of put-batch.
const (
	mostBatch     = 1000
	mostBatchSize = 1 << 20
)

// entry is the line of a job in a put-batch. ok is not set if put-batch cannot put it.
func (j NewJob) entry() (line string, ok bool) {
	j, err := j.filled()
	if err != nil || len(j.Body) >= mostBatchSize/2 || j.Wait > 0 {
		return "", false
	}
	words := fmt.Sprintf("%d %s %s %d tube=%s", j.Priority, exactly(j.Delay), exactly(j.TTR), len(j.Body), j.Tube)
	line = strings.Join(append([]string{words}, j.options()...), " ")
	return line, len(line) <= mostLine
}

// packed is the body of a put-batch with as many of these jobs as fit.
func packed(jobs []NewJob) (n int, body []byte) {
	for _, j := range jobs[:min(len(jobs), mostBatch)] {
		line, ok := j.entry()
		if !ok || len(body)+len(line)+len(j.Body)+4 > mostBatchSize {
			break
		}
		body = append(append(body, line...), '\r', '\n')
		body = append(append(body, j.Body...), '\r', '\n')
		n++
	}
	return n, body
}

// putPacked sends a body with as many jobs as there are results.
func (l *link) putPacked(results []Result, body []byte, options ...string) error {
	line := strings.Join(append([]string{fmt.Sprintf("put-batch %d", len(body))}, options...), " ")
	for i := range results {
		results[i].Err = ErrLost
	}
	r, err := l.wire.Put(line, body)
	if err == nil {
		_, err = inserted(r, "INSERTED_BATCH")
	}
	if err == nil && len(r.Jobs) != len(results) {
		err = fmt.Errorf("%w: %d answers for %d jobs", ErrInternal, len(r.Jobs), len(results))
	}
	for i := range results {
		if err != nil {
			if l.wire.Err() == nil {
				results[i].Err = translated(err)
			}
			continue
		}
		results[i].ID, results[i].Err = inserted(r.Jobs[i], "INSERTED")
	}
	return err
}

// PutTogether puts all of the jobs at one moment, or none. There may be up to 1000 of them, with up to
// 1 MiB together. If their tubes are not all in one shard, the error is ErrTogether; a single tube always
// is. If the key of a job is taken, none is put, and the error is an ExistsError. No two of them may have
// the same key. A job whose name (Once) has been put before counts as put.
func (c *Conn) PutTogether(ctx context.Context, jobs []NewJob) (ids []uint64, _ error) {
	n, body := packed(jobs)
	if n == 0 || n < len(jobs) {
		return nil, fmt.Errorf("%w: these jobs cannot be put together", ErrInvalid)
	}
	results := make([]Result, n)
	err := c.with(ctx, func(l *link) error {
		if err := l.needs("put-batch"); err != nil {
			return err
		}
		return l.putPacked(results, body, "all=true")
	})
	if err != nil {
		return nil, err
	}
	for _, r := range results {
		if r.Err != nil {
			return nil, r.Err
		}
		ids = append(ids, r.ID)
	}
	return ids, nil
}
