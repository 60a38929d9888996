package stalls

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"beanfield/tools/bench/generator"
	"beanfield/tools/bench/load"
	"beanfield/tools/bench/machine"
	"beanfield/tools/bench/result"
	"beanfield/tools/bench/talk"
	"beanfield/tools/server"
)

// A neighbour is one connection that puts, reserves and deletes in a tube of its own,
// one command at a time, and whose waiting is measured while others disturb the server.
type neighbour struct {
	target generator.Target
	spin   bool
	cycle  *generator.Stepper
	sum    generator.Tally
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
	// neighbourWait is how long a generator that does not spin waits for the neighbour's
	// answer before it turns to the disturbance.
	neighbourWait = int64(100e3)
)

// Measure disturbs a server again and again, and measures its neighbour.
func Measure(ctx context.Context, t generator.Target, ld load.Load, set generator.Settings) (*result.Result, error) {
	n, err := newNeighbour(t, set)
	if err != nil {
		return nil, err
	}
	defer n.cycle.Close()
	d := newDisturbance(t, &ld)
	s := &result.Stalls{By: ld.Disturb.By}
	res := &result.Result{Load: ld, Stalls: s}
	busy := time.Duration(0)
	for range ld.Disturb.Again {
		one, used, err := n.disturbed(ctx, d, ld.Disturb.Peace)
		d.end()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", ld.Disturb.By, err)
		}
		set.Say("%s", one)
		s.Each = append(s.Each, *one)
		res.Seconds += used.whole.Seconds()
		busy += used.others
	}
	if err := n.audit(ctx); err != nil {
		return nil, err
	}
	res.Ops, res.ByCommand = n.sum.Total(), map[string]uint64{}
	use, err := server.UsageOf(t.PID)
	if err != nil {
		return nil, err
	}
	if t.PID != 0 {
		res.OthersCPU = max(0, busy.Seconds()/res.Seconds)
		res.Server.RSS, res.Server.PeakRSS = use.RSS, use.Peak
	}
	if !t.Owned {
		if ld.Disturb.UsesQueue() {
			return res, clearQueue(ctx, t.Queue)
		}
		return res, clearDisturbed(ctx, t.Addr)
	}
	return res, nil
}

func newNeighbour(t generator.Target, set generator.Settings) (*neighbour, error) {
	ld := load.Default()
	ld.Connections = 1
	s, err := generator.NewStepper(t, ld, neighbourTube)
	return &neighbour{target: t, spin: set.Wait == generator.WaitSpin, cycle: s}, err
}

// usedTime is how long a measurement took, and what others used of the processors.
type usedTime struct{ whole, others time.Duration }

// disturbed measures peace, one disturbance, and what comes after it.
func (n *neighbour) disturbed(ctx context.Context, d *disturbance,
	peace time.Duration) (*result.Stall, usedTime, error) {
	ctx, cancel := context.WithTimeout(ctx, disturbPatience)
	defer cancel()
	if err := d.prepare(ctx); err != nil {
		return nil, usedTime{}, err
	}
	// A collection of this program's garbage would be measured too; there is little.
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	before := machine.MomentOf(n.target.PID, n.target.Disk, n.cycle.Now())
	end := before.At + int64(peace)
	calm, err := n.observe(ctx, nil, func(now int64) bool { return now >= end })
	if err != nil {
		return nil, usedTime{}, err
	}
	if !d.starts.IsZero() {
		ahead := time.Until(d.starts)
		if ahead < 0 {
			return nil, usedTime{}, fmt.Errorf("it began %v before the peace was over", -ahead)
		}
		from := n.cycle.Now() + int64(ahead)
		if _, err := n.observe(ctx, nil, func(now int64) bool { return now >= from }); err != nil {
			return nil, usedTime{}, err
		}
	}
	began, over := n.cycle.Now(), int64(0)
	disturbed, err := n.observe(ctx, d, func(now int64) bool {
		if over == 0 && d.over {
			over = now
		}
		return over > 0 && now >= over+int64(result.Aftermath)
	})
	if err != nil {
		return nil, usedTime{}, err
	}
	after := machine.MomentOf(n.target.PID, n.target.Disk, n.cycle.Now())
	used := usedTime{time.Duration(after.At - before.At), after.Others(&before)}
	s := result.NewStall(calm, disturbed, time.Duration(over-began), n.away, n.work)
	return s, used, errors.Join(before.Err, after.Err)
}

// observe measures the neighbour for one phase. Before and after it, no answer is
// outstanding.
func (n *neighbour) observe(ctx context.Context, d *disturbance, until func(now int64) bool) (
	*result.Histogram, error) {
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
	n.sum.Add(t)
	return t.Commands(), err
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

// answered takes an answer. It notes how long the server worked meanwhile, which tells a
// slow server from one that had no processor, or whose answer nobody looked for.
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

// audit compares the counts of the neighbour's tube with what it did.
func (n *neighbour) audit(ctx context.Context) error {
	c, err := talk.Dial(ctx, n.target.Addr)
	if err != nil {
		return err
	}
	defer c.Close()
	got, err := c.Stats("stats-tube " + neighbourTube)
	if err != nil {
		return err
	}
	for key, want := range map[string]int64{
		"total-jobs": n.sum.Inserted, "current-jobs-ready": 0, "current-jobs-reserved": 0,
	} {
		if got.Number(key) != want {
			return fmt.Errorf("the server counts %s: %d in the neighbour's tube, and should %d", key, got.Number(key),
				want)
		}
	}
	return nil
}

// clearDisturbed takes the jobs of a disturbance out of a server with other users.
func clearDisturbed(ctx context.Context, addr string) error {
	c, err := talk.Dial(ctx, addr)
	if err != nil {
		return err
	}
	defer c.Close()
	return c.EmptyTube(disturbedTube)
}
