//go:build linux

package compare

import (
	"context"
	"errors"

	"beanfield/tools/bench/load"
	"beanfield/tools/bench/measure"
	"beanfield/tools/server"
)

// Two builds of beanfield are compared in pairs: both run side by side, filled as the row says, and take turns of a
// fraction of a second, so that a machine which becomes slower or faster does so for both.

// lasts tells whether a server can be measured again and again. Otherwise both are started for each pair.
func (r *row) lasts() bool {
	return !r.Load.Whole && !r.Load.Waits() && !r.restarts() && !r.stalls()
}

// inPairs measures so many pairs: two measurements that follow each other.
func (c *comparer) inPairs(ctx context.Context, res *rowResult, ld load.Load, round, pairs int) error {
	var held [2]*measure.Held
	for side := range held {
		p := &res.peers[side]
		if p.absent != "" {
			return nil
		}
		var err error
		held[side], err = c.how(res.row, &p.peer).Hold(ctx, &ld)
		if errors.Is(err, server.ErrNotStarted) && ctx.Err() == nil {
			p.absent = err.Error() // the older program may not know a flag
			return nil
		}
		if err != nil {
			return err
		}
		defer held[side].Stop()
	}
	// A first measurement fills both. The base, which comes last, tells the rate of an open loop.
	var first *load.Result
	for _, h := range held {
		var err error
		if first, err = again(ctx, h, ld); err != nil {
			return err
		}
		h.Filled()
	}
	if res.Half {
		ld.Rate = first.OpsPerSec / 2
	}
	for pair := range pairs {
		for i := range held {
			side := (i + pair + round) % 2
			one, err := again(ctx, held[side], ld)
			if err != nil {
				return err
			}
			p := &res.peers[side]
			p.rounds = append(p.rounds, one)
		}
	}
	return nil
}

func again(ctx context.Context, h *measure.Held, ld load.Load) (*load.Result, error) {
	return load.Again(func() (*load.Result, error) { return h.Measure(ctx, ld) })
}
