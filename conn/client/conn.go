package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	wire "beanfield/conn/beanstalk/client"
)

// Conn is a connection to a server. Any number of goroutines may use it: their calls wait for each
// other, as the server answers one after the other, and a Reserve that waits lets no other call
// through. Jobs belong to the Conn that has reserved them, and go back to their tubes when it ends.
type Conn struct {
	turn   chan struct{} // whoever has put something in may use link
	link   *link         // nil once it is closed
	closed atomic.Bool
	pool   *Pool           // it came from; nil: from none
	can    map[string]bool // the link's, which nobody changes
	grace  time.Duration   // likewise
}

// Dial connects to a server, logs in if there is a token, and asks once which commands the server
// has that beanstalkd does not have. The context ends with that; it is not the Conn's.
func Dial(ctx context.Context, c Config) (*Conn, error) {
	c, err := c.filled()
	if err != nil {
		return nil, err
	}
	l, err := c.link(ctx)
	if err != nil {
		return nil, err
	}
	return newConn(l, nil), nil
}

func newConn(l *link, from *Pool) *Conn {
	return &Conn{turn: make(chan struct{}, 1), link: l, pool: from, can: l.can, grace: l.grace}
}

// Close ends the connection, or gives it back to the Pool that it came from. A call under way is
// ended, and with it the connection. Jobs that are still reserved go back to their tubes. Close may be
// called more than once; all other calls return ErrClosed from then on.
func (c *Conn) Close() error {
	if c.closed.Swap(true) {
		return nil
	}
	l, interrupted := c.link, false
	select {
	case c.turn <- struct{}{}:
	default:
		interrupted = true
		l.wire.Hurry(0)
		c.turn <- struct{}{}
	}
	c.link = nil
	<-c.turn
	if c.pool != nil {
		return c.pool.takeBack(l, interrupted)
	}
	return l.end()
}

// Has says whether the server has a command that beanstalkd does not have, such as "put-batch".
func (c *Conn) Has(command string) bool { return c.can[command] }

// with does something with the link when it is its turn.
func (c *Conn) with(ctx context.Context, do func(l *link) error) error {
	return c.withGrace(ctx, 0, do)
}

// withGrace is with for what may take so much longer than the context.
func (c *Conn) withGrace(ctx context.Context, grace time.Duration, do func(l *link) error) error {
	if c.closed.Load() {
		return ErrClosed
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case c.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-c.turn }()
	if c.closed.Load() {
		return ErrClosed
	}
	if err := c.link.wire.Err(); err != nil {
		return fmt.Errorf("%w: the connection was lost before: %w", ErrClosed, err)
	}
	err := c.link.during(ctx, grace, func() error { return do(c.link) })
	if c.closed.Load() && errors.Is(err, ErrLost) {
		err = fmt.Errorf("%w: %w", ErrLost, ErrClosed)
	}
	return err
}

// one is a call of one command.
func (c *Conn) one(ctx context.Context, s step) error {
	return c.with(ctx, func(l *link) error {
		var result [1]Result
		err := l.run([]step{s}, result[:])
		return cmp.Or(err, result[0].Err)
	})
}

// added is each for a command that beanstalkd does not have.
func added[T any](ctx context.Context, c *Conn, command string, do func(w *wire.Client) (T, error)) (T, error) {
	return each(ctx, c, func(l *link) (result T, err error) {
		if err = l.needs(command); err == nil {
			result, err = do(l.wire)
		}
		return result, err
	})
}

// each is with for a call that returns something.
func each[T any](ctx context.Context, c *Conn, do func(l *link) (T, error)) (result T, _ error) {
	err := c.with(ctx, func(l *link) (err error) {
		result, err = do(l)
		return err
	})
	return result, err
}
