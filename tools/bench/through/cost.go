//go:build linux

package through

import (
	"context"
	"fmt"
	"time"

	"beanfield/tools/bench/load"
)

// costs compares the processor time of all nodes for each command.
func (r *run) costs(ctx context.Context) error {
	for _, c := range []struct {
		what string
		load load.Load
		goal float64
	}{
		{"50 connections", load.Load{}, singleGoal},
		{"50 connections, 16 cycles pipelined", load.Load{Kind: load.Cycles, Depth: 16}, pipelinedGoal},
	} {
		if err := r.cost(ctx, c.what, load.Of(c.load), c.goal); err != nil {
			return fmt.Errorf("%s: %w", c.what, err)
		}
	}
	return nil
}

// warmup is before each measurement.
const warmup = 200 * time.Millisecond

func (r *run) cost(ctx context.Context, what string, ld load.Load, goal float64) error {
	ld.Warmup, ld.Duration = warmup, r.duration
	targets := [2]load.Target{r.target(r.owner), r.target(r.between)}
	var cpu, rate [2][]float64
	var ratios []float64
	for pair := range r.pairs {
		for i := range targets {
			way := (i + pair) % 2 // neither always follows the other
			res, err := load.Again(func() (*load.Result, error) {
				return load.Generate(ctx, targets[way], ld, load.Settings{Wait: load.Epoll})
			})
			if err != nil {
				return err
			}
			cpu[way] = append(cpu[way], res.Server.CPUPerOp)
			rate[way] = append(rate[way], res.OpsPerSec)
		}
		ratios = append(ratios, cpu[1][pair]/cpu[0][pair])
	}
	ratio := median(ratios)
	r.tell(what, "%.3f times the processor time of all nodes (%s), %.2f µs a command and %.2f directly; %.0f commands a second "+
		"and %.0f; %d pairs, ratios from %.3f to %.3f", ratio, against(ratio, goal), median(cpu[1]), median(cpu[0]),
		median(rate[1]), median(rate[0]), len(ratios), ratios[0], ratios[len(ratios)-1])
	return nil
}
