package client

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

const (
	staleAfter = time.Second     // an idle connection is tried before it is used again
	idleFor    = 5 * time.Minute // a connection is kept
	onceFor    = 4 * time.Minute // a put that has a name is repeated: the server knows the name for 5 minutes
)

// Pool is a bounded number of connections that any number of goroutines share. A connection is made
// when none is idle; one that has been idle for a second is tried before it is used again; one that
// was lost, holds jobs or was not needed for five minutes is ended.
//
// A Pool is for calls that need no Conn of their own: puts, and looking at things. Whoever reserves
// jobs has a Worker, or keeps a Conn until the job is done.
type Pool struct {
	config Config
	places chan struct{} // whoever has put something in may have a connection
	ended  chan struct{} // closed by Close

	mu   sync.Mutex // protects the rest
	idle []*link    // the last one was used last
	down bool
}

// NewPool is a Pool of up to size connections. It makes none yet: that a server cannot be reached is
// told to whoever needs it.
func NewPool(c Config, size int) (*Pool, error) {
	c, err := c.filled()
	if err != nil {
		return nil, err
	}
	if size < 1 {
		return nil, fmt.Errorf("%w: a pool of %d connections", ErrInvalid, size)
	}
	return &Pool{config: c, places: make(chan struct{}, size), ended: make(chan struct{})}, nil
}

// Get waits for a connection until the context ends. If no server can be reached it tries for as long
// as Config.Patience, with growing pauses. The Conn has to be closed, which gives it back.
func (p *Pool) Get(ctx context.Context) (*Conn, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	select { // a closed pool gives nothing, even if it has places
	case <-p.ended:
		return nil, ErrClosed
	default:
	}
	select {
	case p.places <- struct{}{}:
	case <-p.ended:
		return nil, ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	l, err := p.link(ctx)
	if err != nil {
		<-p.places
		return nil, err
	}
	return newConn(l, p), nil
}

// link is an idle connection that works, or a new one.
func (p *Pool) link(ctx context.Context) (*link, error) {
	for {
		l := p.takeIdle()
		if l == nil {
			return p.connect(ctx)
		}
		if time.Since(l.since) < staleAfter {
			return l, nil
		}
		err := l.during(ctx, 0, func() error {
			_, err := l.wire.Get("USING", "list-tube-used")
			return err
		})
		if err == nil {
			return l, nil
		}
		_ = l.wire.HangUp() // it is useless, and another one is tried
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
}

// takeIdle takes the connection that was used last, and ends those that are not needed any more.
func (p *Pool) takeIdle() *link {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.idle) > 0 && time.Since(p.idle[0].since) > idleFor {
		_ = p.idle[0].wire.HangUp() // nothing was going on
		p.idle = p.idle[1:]
	}
	if len(p.idle) == 0 {
		return nil
	}
	l := p.idle[len(p.idle)-1]
	p.idle = p.idle[:len(p.idle)-1]
	return l
}

// connect makes a connection. It tries again as long as that may help.
func (p *Pool) connect(ctx context.Context) (*link, error) {
	begun := time.Now()
	closing, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-p.ended:
			cancel()
		case <-closing.Done():
		}
	}()
	for failures := 1; ; failures++ {
		l, err := p.config.link(closing)
		if err == nil {
			return l, nil
		}
		if passing(err) && time.Since(begun) < p.config.Patience && p.config.Retry.wait(closing, failures) == nil {
			continue
		}
		if ctx.Err() != nil {
			return nil, fmt.Errorf("%w: %w", ctx.Err(), err)
		}
		if closing.Err() != nil {
			return nil, ErrClosed
		}
		return nil, err
	}
}

// takeBack takes the connection of a Conn that was closed. It is of no use to others if it is lost,
// was interrupted, or holds jobs, which the server releases when it ends.
func (p *Pool) takeBack(l *link, interrupted bool) error {
	defer func() { <-p.places }()
	if l.wire.Err() == nil && !interrupted && len(l.held) == 0 {
		l.since = time.Now()
		p.mu.Lock()
		defer p.mu.Unlock()
		if !p.down {
			p.idle = append(p.idle, l)
			return nil
		}
	}
	return l.end()
}

// Close ends the idle connections, and each other one when its Conn is closed. Whoever waits for a
// connection gets ErrClosed.
func (p *Pool) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.down {
		return nil
	}
	p.down = true
	close(p.ended)
	var failures []error
	for _, l := range p.idle {
		failures = append(failures, l.wire.HangUp())
	}
	p.idle = nil
	return errors.Join(failures...)
}

// Do calls do with a connection that is given back afterwards.
func (p *Pool) Do(ctx context.Context, do func(c *Conn) error) error {
	c, err := p.Get(ctx)
	if err != nil {
		return err
	}
	defer c.Close() // it only gives back what it has
	return do(c)
}

// Put is Conn.Put. If the connection is lost before the answer comes, it puts a job that has a name
// (Once) again, up to 4 minutes later: that makes no second job. Others are ErrLost then.
func (p *Pool) Put(ctx context.Context, job NewJob) (uint64, error) {
	id, err := p.put(ctx, job)
	if job.Once == "" || !errors.Is(err, ErrLost) {
		return id, err
	}
	within, cancel := context.WithTimeout(ctx, onceFor)
	defer cancel()
	for failures := 1; p.config.Retry.wait(within, failures) == nil; failures++ {
		id, repeated := p.put(within, job)
		var answer *Refusal
		if repeated == nil || errors.As(repeated, &answer) || errors.Is(repeated, ErrExists) {
			return id, repeated
		}
		if errors.Is(repeated, ErrClosed) {
			break
		}
	}
	return 0, err
}

func (p *Pool) put(ctx context.Context, job NewJob) (id uint64, _ error) {
	err := p.Do(ctx, func(c *Conn) (err error) {
		id, err = c.Put(ctx, job)
		return err
	})
	return id, err
}

// PutBatch is Conn.PutBatch.
func (p *Pool) PutBatch(ctx context.Context, jobs []NewJob) (results []Result, err error) {
	results = unsent(len(jobs))
	err = p.Do(ctx, func(c *Conn) (err error) {
		results, err = c.PutBatch(ctx, jobs)
		return err
	})
	return results, err
}
