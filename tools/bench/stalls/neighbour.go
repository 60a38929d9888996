//go:build linux

package stalls

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"beanfield/tools/bench/load"
	"beanfield/tools/server"
)

// A neighbour is one connection that puts, reserves and deletes in a tube of its own, one command at a time, and whose
// waiting is measured while others disturb the server.
type neighbour struct {
	target load.Target
	spin   bool
	cycle  *load.Stepper
	sum    load.Tally
	away   int64 // the longest time in which the generator did not look for an answer
	work   int64 // the most that the server worked while an answer was awaited

	// Of the command that awaits its answer.
	missed int64         // the longest time in which nobody looked
	used   time.Duration // the server's clock when it was sent
}

const (
	neighbourTube = "bench-neighbour"
	// disturbPatience bounds what is waited for.
	disturbPatience = 5 * time.Minute
	// neighbourWait is how long a generator that does not spin waits for the neighbour's answer before it turns to the
	// disturbance.
	neighbourWait = int64(100e3)
)

// Measure disturbs a server, and measures its neighbour: first in peace, then during the disturbance, and what comes
// after it.
func Measure(ctx context.Context, t load.Target, ld load.Load, wait load.Wait) (*load.Result, error) {
	ctx, cancel := context.WithTimeout(ctx, disturbPatience)
	defer cancel()
	cycle, err := load.NewStepper(t, load.Of(load.Load{Connections: 1}), neighbourTube)
	if err != nil {
		return nil, err
	}
	defer cycle.Close()
	n := &neighbour{target: t, spin: wait == load.Spin, cycle: cycle}
	d, err := prepare(ctx, t, &ld)
	defer d.end()
	res := &load.Result{Load: ld}
	if err == nil {
		err = n.disturbed(ctx, d, res)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", ld.Disturb, err)
	}
	return res, n.sum.Audit(t.Addr, "stats-tube "+neighbourTube, nil)
}

func (n *neighbour) disturbed(ctx context.Context, d *disturbance, res *load.Result) error {
	// A collection of this program's garbage would be measured too; there is little.
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	before := n.target.Moment(n.cycle.Now())
	calm, err := n.observe(ctx, nil, n.at(before.At+int64(d.load.Peace)))
	if err != nil {
		return err
	}
	if !d.starts.IsZero() {
		ahead := time.Until(d.starts)
		if ahead < 0 {
			return fmt.Errorf("it began %v before the peace was over", -ahead)
		}
		if _, err := n.observe(ctx, nil, n.at(n.cycle.Now()+int64(ahead))); err != nil {
			return err
		}
	}
	began, over := n.cycle.Now(), int64(0)
	disturbed, err := n.observe(ctx, d, func(now int64) bool {
		if over == 0 && d.over {
			over = now
		}
		return over > 0 && now >= over+int64(load.Aftermath)
	})
	if err != nil {
		return err
	}
	after := n.target.Moment(n.cycle.Now())
	res.Stall = load.NewStall(calm, disturbed)
	res.Stall.TookSec = time.Duration(over - began).Seconds()
	res.Stall.AwayUs, res.Stall.WorkUs = float64(n.away)/1e3, float64(n.work)/1e3
	res.Server.RSS, res.Server.PeakRSS = after.Server.RSS, after.Server.Peak
	if n.target.PID != 0 {
		res.OthersCPU = after.Others(&before)
	}
	return errors.Join(before.Err, after.Err)
}

func (n *neighbour) at(end int64) func(now int64) bool {
	return func(now int64) bool { return now >= end }
}

// observe measures the neighbour for one phase. Before and after it, no answer is outstanding.
func (n *neighbour) observe(ctx context.Context, d *disturbance, until func(now int64) bool) (*load.Histogram, error) {
	n.away, n.work, n.missed = 0, 0, 0
	var err error
	if n.used, err = n.serverClock(); err != nil {
		return nil, err
	}
	if err := n.cycle.Start(); err != nil {
		return nil, err
	}
	if err := n.pump(ctx, d, until); err != nil {
		return nil, err
	}
	n.cycle.Stop()
	err = n.pump(ctx, d, func(int64) bool { return n.cycle.Rests() })
	t := n.cycle.Take()
	n.sum.Add(&t)
	return t.Latencies(), err
}

// pump drives the neighbour and the disturbance in turn.
func (n *neighbour) pump(ctx context.Context, d *disturbance, until func(now int64) bool) error {
	looked := n.cycle.Now()
	for turn := 0; !until(looked); turn++ {
		if turn%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		worked := false
		if d != nil {
			var err error
			if worked, err = d.step(); err != nil {
				return err
			}
		}
		wait := int64(0)
		if !n.spin && !worked {
			wait = neighbourWait
		}
		found, err := n.cycle.Look(wait)
		if err != nil {
			return err
		}
		if found {
			if err := n.answered(); err != nil {
				return fmt.Errorf("the neighbour: %w", err)
			}
		}
		now := n.cycle.Now()
		n.away, n.missed = max(n.away, now-looked), max(n.missed, now-looked)
		looked = now
	}
	return nil
}

// answered takes an answer. It notes how long the server worked meanwhile, which tells a slow server from one that had
// no processor, or whose answer nobody looked for.
func (n *neighbour) answered() error {
	used, err := n.serverClock()
	if err != nil {
		return err
	}
	waited := n.cycle.Now() - n.cycle.Due() - n.missed
	n.work = max(n.work, min(waited, int64(used-n.used)))
	n.used, n.missed = used, 0
	return n.cycle.Serve()
}

// serverClock is zero where the process is not known.
func (n *neighbour) serverClock() (time.Duration, error) {
	if n.target.PID == 0 {
		return 0, nil
	}
	return server.CPUTime(n.target.PID)
}
