//go:build linux

package peers

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"beanfield/tools/bench/load"
	"beanfield/tools/bench/measure"
	"beanfield/tools/server"
)

// The kinds of load of this package, beside load.Cycle and load.Restart.
const (
	Push    = "push"    // producers put, the others are pushed
	Delayed = "delayed" // producers put at a rate with a delay, the others take
)

// A How says how a peer is measured.
type How struct {
	*Peer
	Pinned bool
	Data   string        // where its directory is made
	Settle time.Duration // before its memory is read
	Within time.Duration // it is left out if it does not take its backlog in this time
}

// Once measures a peer that is started for that, and ended.
func (h How) Once(ctx context.Context, ld load.Load) (*load.Result, error) {
	if err := h.able(&ld); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrOut, err)
	}
	cpus := ""
	if h.Pinned {
		cpus = measure.ServerCPU
	}
	s, err := h.start(ctx, cpus, h.Data)
	if err != nil {
		return nil, err
	}
	defer s.stop()
	if h.Pinned {
		restore, err := measure.PinSelf()
		if err != nil {
			return nil, err
		}
		defer restore()
	}
	d := &drive{peer: h.Peer, at: s, load: ld, base: time.Now(), until: int64(time.Hour)}
	d.landed.L = &d.mu
	first, err := h.dial(s.Launched, 0) // it makes what the others use
	if err != nil {
		return nil, err
	}
	defer first.close()
	if ld.Kind == load.Restart {
		return h.restart(ctx, d, first)
	}
	res, err := d.timed(ctx, d.whole)
	if err != nil {
		return nil, err
	}
	return res, empty(first, 0)
}

// able tells what a peer has no counterpart for.
func (h How) able(ld *load.Load) error {
	switch {
	case ld.Kind == Push && h.consume == nil:
		return errors.New("it does not push")
	case ld.Kind == Delayed && h.undelayed:
		return errors.New("it has no delays")
	}
	return nil
}

// empty wants so many jobs to be there in the end.
func empty(c client, want int) error {
	n, err := 0, error(nil)
	// What was done last may not have had an answer.
	for begun := time.Now(); time.Since(begun) < patience; time.Sleep(20 * time.Millisecond) {
		if n, err = c.count(); err != nil || n == want {
			return err
		}
	}
	return fmt.Errorf("%d jobs are there in the end, and should be %d", n, want)
}

// whole does what the load says.
func (d *drive) whole(ctx context.Context) error {
	switch d.load.Kind {
	case Push:
		return d.apart(ctx, func(i int) (client, error) { return d.peer.consume(d.at.Launched, i, d.load.Window) },
			(*worker).puts)
	case Delayed:
		return d.apart(ctx, func(i int) (client, error) {
			if d.peer.await != nil {
				return d.peer.await(d.at.Launched, i)
			}
			return d.dial(i)
		}, (*worker).later)
	}
	return d.run(ctx, d.load.Connections, d.dial, (*worker).cycles)
}

// timed measures from the end of the warm-up on, for the load's duration.
func (d *drive) timed(ctx context.Context, do func(context.Context) error) (*load.Result, error) {
	t := load.TargetOf(d.at.Launched)
	d.begin = d.now() + int64(d.load.Warmup)
	if d.load.Kind == Delayed {
		d.begin += int64(delayed)
	}
	d.until = d.begin + int64(d.load.Duration)
	var first, last load.Moment
	edges := make(chan struct{})
	go func() {
		defer close(edges)
		time.Sleep(time.Duration(d.begin - d.now()))
		first = t.Moment(d.now())
		time.Sleep(time.Duration(d.until - d.now()))
		last = t.Moment(d.now())
	}()
	err := do(ctx)
	<-edges
	if err = errors.Join(err, first.Err, last.Err); err != nil {
		return nil, err
	}
	if d.ops == 0 {
		return nil, load.ErrNothing
	}
	res := last.Since(&first, &d.load, d.ops)
	res.Latency = d.counted.Latency()
	res.GeneratorCPU = float64(last.Self-first.Self) / float64(last.At-first.At)
	if res.GeneratorCPU > 0.95 {
		res.Waiting = float64(d.load.Connections) // it never slept: more would have been possible
	}
	res.Server.OnDisk = d.at.OnDisk()
	return res, nil
}

// restart fills the peer, measures cycles beside the backlog, ends it with SIGTERM, and starts it again.
func (h How) restart(ctx context.Context, d *drive, first client) (*load.Result, error) {
	u := &load.Recovery{Jobs: d.load.Backlog}
	begun := time.Now()
	put, err := d.fill(ctx, u.Jobs, h.Within)
	switch {
	case put < u.Jobs && ctx.Err() == nil: // too slow, or it broke down
		return nil, errors.Join(fmt.Errorf("%w: it had %d of %d jobs after %v", ErrOut, put, u.Jobs,
			time.Since(begun).Round(time.Second)), err)
	case err != nil:
		return nil, err
	}
	u.LoadSec = time.Since(begun).Seconds()
	time.Sleep(h.Settle)
	loaded, err := server.UsageOf(d.at.PID())
	if err != nil {
		return nil, err
	}
	u.LoadedRSS, u.LoadedPeak = loaded.RSS, loaded.Peak
	res, err := d.timed(ctx, d.whole)
	for errors.Is(err, load.ErrNothing) { // it still tidies up
		d.load.Duration *= 2
		res, err = d.timed(ctx, d.whole)
	}
	if err == nil {
		err = empty(first, u.Jobs)
	}
	if err != nil {
		return nil, err
	}
	begun = time.Now()
	if err := d.at.Signal(syscall.SIGTERM); err != nil {
		return nil, err
	}
	select {
	case <-d.at.Exited():
	case <-time.After(patience):
		d.at.End(os.Kill)
	}
	u.StopSec = time.Since(begun).Seconds()
	begun = time.Now()
	if err := d.at.Start(); err != nil {
		return nil, err
	}
	if err := d.serves(ctx, u.Jobs, h.Within); err != nil {
		return nil, fmt.Errorf("after its restart: %w", err)
	}
	u.RecoverySec = time.Since(begun).Seconds()
	time.Sleep(h.Settle)
	use, err := server.UsageOf(d.at.PID())
	u.RecoveredRSS, u.RecoveredPeak = use.RSS, use.Peak
	res.Recovery = u
	return res, err
}

// serves waits until all jobs are there again.
func (d *drive) serves(ctx context.Context, jobs int, within time.Duration) error {
	n, err := 0, error(nil)
	for begun := time.Now(); time.Since(begun) < within && ctx.Err() == nil; time.Sleep(5 * time.Millisecond) {
		if died := d.at.Died(); died != nil {
			return died
		}
		var c client
		if c, err = d.dial(0); err != nil {
			continue // it does not listen, or not answer, yet
		}
		n, err = c.count()
		c.close()
		if err == nil && n == jobs {
			return nil
		}
	}
	return errors.Join(fmt.Errorf("%w: %d jobs are there after %v, and should be %d", ErrOut, n, within, jobs), err, ctx.Err())
}
