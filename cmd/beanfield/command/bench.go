package command

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"beanfield/conn/beanstalk/client"
)

// bench is the command of that name.
type bench struct {
	Jobs        int `json:"jobs" flag:"jobs <number> of jobs in all"`
	Connections int `json:"connections" flag:"connections <number> of connections at a time"`
	Depth       int `json:"depth" flag:"depth <number> of commands that a connection sends before it reads their replies"`
	Size        int `json:"size" flag:"size <bytes> in each body"`
}

// The limits of a bench: it is quick, and no server suffers from it.
const (
	mostJobs        = 1_000_000
	mostConnections = 200
	mostDepth       = 500
)

// results are operations a second, of all connections together.
type results struct {
	bench
	Put     float64 `json:"put"`
	Reserve float64 `json:"reserve"`
	Delete  float64 `json:"delete"`
}

func (a *bench) run(c *call) error {
	within := func(n, most int) bool { return 1 <= n && n <= most }
	if !within(a.Jobs, mostJobs) || !within(a.Connections, mostConnections) || !within(a.Depth, mostDepth) ||
		a.Size < 0 || a.Size > 1<<30 {
		return usagef("want -jobs up to %d, -connections up to %d, -depth up to %d", mostJobs, mostConnections, mostDepth)
	}
	ctx, end := interruptible()
	defer end()
	tube := fmt.Sprintf("beanfield.bench.%d", os.Getpid())
	r, err := a.measure(ctx, c, tube)
	if err = cmp.Or(err, c.emptied(tube)); err != nil {
		return err
	}
	if c.json {
		return encode(c.Stdout, r)
	}
	_, err = fmt.Fprintf(c.Stdout, "put      %9.0f/s\nreserve  %9.0f/s\ndelete   %9.0f/s\n", r.Put, r.Reserve, r.Delete)
	return err
}

// measure runs the connections: first all put, then all reserve and delete.
func (a *bench) measure(ctx context.Context, c *call, tube string) (results, error) {
	r := results{bench: *a}
	show := c.progress("bench", 2*a.Jobs)
	defer show.done()
	for _, phase := range []func(b *bencher) error{(*bencher).put, (*bencher).take} {
		var left atomic.Int64
		left.Store(int64(a.Jobs))
		all := make([]bencher, a.Connections)
		errs := make([]error, a.Connections)
		var working sync.WaitGroup
		for i := range all {
			working.Go(func() {
				errs[i] = c.withServer(func(s *server) error {
					all[i] = bencher{bench: a, ctx: ctx, left: &left, tube: tube, s: s}
					return phase(&all[i])
				})
			})
		}
		working.Wait()
		if err := cmp.Or(errs...); err != nil {
			return r, err // the others are about the same
		}
		for _, b := range all {
			r.Put += b.putting.rate()
			r.Reserve += b.reserving.rate()
			r.Delete += b.deleting.rate()
		}
		show.set(a.Jobs)
	}
	return r, nil
}

// spent is how long a connection has needed for how many operations.
type spent struct {
	n    int
	time time.Duration
}

func (s spent) rate() float64 { return float64(s.n) / max(s.time, 1).Seconds() }

// bencher is one connection.
type bencher struct {
	*bench
	ctx  context.Context
	left *atomic.Int64 // jobs that nobody has begun with
	tube string
	s    *server

	putting, reserving, deleting spent
}

// share takes the next few jobs.
func (b *bencher) share() int {
	n := int(b.left.Add(int64(-b.Depth))) + b.Depth
	return min(n, b.Depth)
}

// batch sends n commands, reads their replies, and notes the time.
func (b *bencher) batch(into *spent, n int, send func(p *client.Pipe, i int) error,
	got func(client.Reply) error) error {
	begun := time.Now()
	p := b.s.Pipe(got)
	for i := range n {
		if err := send(p, i); err != nil {
			return err
		}
	}
	err := p.Flush()
	into.n += n
	into.time += time.Since(begun)
	return errors.Join(err, stopped(b.ctx))
}

func (b *bencher) put() error {
	err := b.s.use(b.tube)
	body := bytes.Repeat([]byte("x"), b.Size)
	line := putLine(&job{Pri: 1024, TTR: 60}, b.Size)
	for n := b.share(); n > 0 && err == nil; n = b.share() {
		err = b.batch(&b.putting, n, func(p *client.Pipe, _ int) error { return p.Put(line, body) },
			func(r client.Reply) error { return r.Want("INSERTED") })
	}
	return err
}

func (b *bencher) take() error {
	err := b.s.watch(b.tube)
	for n := b.share(); n > 0 && err == nil; n = b.share() {
		var held []uint64
		err = b.batch(&b.reserving, n, func(p *client.Pipe, _ int) error { return p.Send("reserve-with-timeout 0") },
			func(r client.Reply) error { held = append(held, r.Number); return r.Want("RESERVED") })
		if err == nil {
			err = b.batch(&b.deleting, n,
				func(p *client.Pipe, i int) error { return p.Send(fmt.Sprintf("delete %d", held[i])) },
				func(r client.Reply) error { return r.Want("DELETED") })
		}
	}
	return err
}

// emptied deletes what a bench that was cut short has left.
func (c *call) emptied(tube string) error {
	return c.withServer(func(s *server) error {
		if err := s.use(tube); err != nil {
			return err
		}
		t, err := s.newTaker(tube, ready, false)
		for more := err == nil; more; {
			_, _, more, err = t.delete(math.MaxInt)
		}
		return err
	})
}
