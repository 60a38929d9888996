package client

import (
	"cmp"
	"context"
	"math/rand/v2"
	"time"
)

// Backoff is a time that doubles with each failure, from Min to Max. A random part of up to a half
// is taken off, so that many clients do not come back at the same moment.
type Backoff struct{ Min, Max time.Duration }

// or is the Backoff with these for what is zero.
func (b Backoff) or(first, last time.Duration) Backoff {
	b.Min = cmp.Or(b.Min, first)
	b.Max = max(cmp.Or(b.Max, last), b.Min)
	return b
}

// After is how long to wait after so many failures in a row, the first being 1.
func (b Backoff) After(failures int) time.Duration {
	d := b.Min
	for range failures - 1 {
		if d >= b.Max/2 {
			d = b.Max
			break
		}
		d *= 2
	}
	d = min(d, b.Max)
	return d - rand.N(d/2+1)
}

// wait waits that long, or until the context ends.
func (b Backoff) wait(ctx context.Context, failures int) error {
	return rest(ctx, b.After(failures))
}

// rest waits so long, or until the context ends.
func rest(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
