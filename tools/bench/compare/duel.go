package compare

import (
	"context"
	"errors"
	"fmt"
	"time"

	"beanfield/tools/bench/generator"
	"beanfield/tools/bench/load"
	"beanfield/tools/bench/measure"
	"beanfield/tools/bench/result"
	"beanfield/tools/server"
)

// A duel compares two builds of beanfield: the new one with the one before it. Both run
// side by side, filled as the row says, and take turns of a fraction of a second, so that
// a machine which becomes slower or faster does so for both.
type duel struct {
	*comparer
	sides [2]string // the programs: the new one, and the one that it is compared with
	rows  []duelRow
}

// A duelRow holds the pairs of a row: two measurements that followed each other.
type duelRow struct {
	row    row
	sides  [2][]*result.Result
	absent string // why there are none
}

const (
	pairTime   = 400 * time.Millisecond
	pairWarmup = 100 * time.Millisecond
)

func newDuel(c *comparer, fresh, base string) *duel {
	return &duel{comparer: c, sides: [2]string{fresh, base}}
}

func (d *duel) run(ctx context.Context) error {
	for _, r := range d.comparer.rows {
		d.rows = append(d.rows, duelRow{row: *r.scaled(d.scale)})
		one := &d.rows[len(d.rows)-1]
		var err error
		for round := range d.comparer.rounds {
			if err = d.round(ctx, one, round); err != nil {
				break
			}
		}
		if errors.Is(err, server.ErrNotStarted) && ctx.Err() == nil {
			one.absent, err = err.Error(), nil // the older program may not know a flag
		}
		if err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
		warn("%s", one.line())
	}
	return nil
}

// peer is one side, as it takes part in a row.
func (d *duel) peer(r *row, side int) *peer {
	for _, p := range standardPeers(d.sides[side], "") {
		if p.Name == nameBeanfield && p.inRow(r) {
			return &p
		}
	}
	return nil
}

// round measures a share of a row's pairs. Where a server can be measured again and
// again, both are started once.
func (d *duel) round(ctx context.Context, one *duelRow, round int) error {
	if one.row.load.Whole {
		return d.fresh(ctx, one, round)
	}
	switch one.row.load.Kind {
	case load.KindMemory, load.KindIdle, load.KindConsumers, load.KindGets, load.KindRestart, load.KindNeighbour:
		return d.fresh(ctx, one, round)
	}
	p := pairing{load: timed(one.row.load, pairWarmup, d.duration, d.seed)}
	for side := range p.held {
		how, set, err := d.how(&one.row, d.peer(&one.row, side))
		if err != nil {
			return err
		}
		p.set = set
		if p.held[side], err = d.pinning.Hold(ctx, d.pinned(&one.row), how); err != nil {
			return err
		}
		defer p.held[side].Stop()
	}
	if err := p.warm(ctx, one.row.half); err != nil {
		return err
	}
	for pair := range d.pairs*(round+1)/d.comparer.rounds - d.pairs*round/d.comparer.rounds {
		both, err := p.measure(ctx, pair+round)
		if err != nil {
			return err
		}
		one.add(both)
	}
	return nil
}

// A pairing is two servers that run, and how they are measured in turn.
type pairing struct {
	held [2]*measure.Held
	load load.Load
	set  generator.Settings
}

// warm fills both servers with a first measurement. The base, which comes last, tells the
// rate of an open loop.
func (p *pairing) warm(ctx context.Context, half bool) error {
	rate := 0.0
	for _, h := range p.held {
		res, err := measured(ctx, h, p.load, p.set)
		if err != nil {
			return err
		}
		rate = res.OpsPerSec / 2
	}
	if half {
		p.load.Rate = rate
	}
	p.set.Filled = true
	return nil
}

// measure is one pair; who comes first changes with turn.
func (p *pairing) measure(ctx context.Context, turn int) (both [2]*result.Result, err error) {
	for i := range both {
		side := (i + turn) % 2
		if both[side], err = measured(ctx, p.held[side], p.load, p.set); err != nil {
			return both, err
		}
	}
	return both, nil
}

// pairTries is how often a measurement is repeated if others had the processors all the
// time.
const pairTries = 10

func measured(ctx context.Context, h *measure.Held, ld load.Load, set generator.Settings) (
	res *result.Result, err error) {
	for range pairTries {
		if res, err = h.Measure(ctx, ld, set); !errors.Is(err, generator.ErrNothing) {
			break
		}
	}
	return res, err
}

// fresh measures one pair of servers that are started for it.
func (d *duel) fresh(ctx context.Context, one *duelRow, round int) error {
	if round > 0 && one.row.rounds > 0 && round >= max(2, one.row.rounds) {
		return nil
	}
	ld := timed(one.row.load, pairWarmup, d.duration, d.seed)
	var both [2]*result.Result
	for turn := range both {
		side := (turn + round) % 2
		how, set, err := d.how(&one.row, d.peer(&one.row, side))
		if err != nil {
			return err
		}
		if both[side], err = d.pinning.MeasureNew(ctx, d.pinned(&one.row), how, ld, set); err != nil {
			return fmt.Errorf("%s: %w", d.sides[side], err)
		}
	}
	one.add(both)
	return nil
}

func (r *duelRow) add(both [2]*result.Result) {
	for side, res := range both {
		r.sides[side] = append(r.sides[side], res)
	}
}
