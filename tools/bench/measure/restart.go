package measure

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"beanfield/conn/beanstalk/client"
	"beanfield/tools/bench/generator"
	"beanfield/tools/bench/load"
	"beanfield/tools/bench/machine"
	"beanfield/tools/bench/result"
	"beanfield/tools/server"
)

// A server with many jobs may take minutes to come back, and to end.
const (
	restartPatience = 5 * time.Minute
	stopPatience    = 2 * time.Minute
)

// measureRestart starts a server, fills it, ends it, with SIGTERM if the load says nothing
// else, and starts it again.
// Peaks are VmHWM: the kernel keeps it, so that no moment is missed.
func measureRestart(ctx context.Context, s *server.Launched, ld load.Load, set generator.Settings) (
	*result.Result, error) {
	if err := ld.Check(); err != nil {
		return nil, err
	}
	u := &result.Restart{Jobs: ld.Backlog}
	res := &result.Result{Load: ld, Restart: u}
	begun := time.Now()
	took, err := firstReply(ctx, s, 0)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", server.ErrNotStarted, err)
	}
	u.StartSec = took.Seconds()
	if ld.Backlog > 0 {
		if err := loadFor(ctx, u, s, &ld, set); err != nil {
			return nil, errors.Join(err, s.Died())
		}
		if err := restartAgain(ctx, u, s, &ld, set, res); err != nil {
			return nil, err
		}
	}
	res.Seconds, res.Server.OnDisk = time.Since(begun).Seconds(), s.OnDisk()
	return res, nil
}

// loadFor puts the jobs and reads the server's memory when all are there.
func loadFor(ctx context.Context, u *result.Restart, s *server.Launched, ld *load.Load, set generator.Settings) error {
	begun := time.Now()
	if err := generator.FillBacklog(ctx, s.Addr, ld, set.Say); err != nil {
		return err
	}
	u.LoadSec = time.Since(begun).Seconds()
	use, err := settled(ctx, s.PID(), set)
	u.LoadedRSS, u.LoadedPeak = use.RSS, use.Peak
	return err
}

// restartAgain ends the server and measures how it comes back.
func restartAgain(ctx context.Context, u *result.Restart, s *server.Launched, ld *load.Load, set generator.Settings,
	res *result.Result) error {
	begun := time.Now()
	if ld.Kill {
		s.End(syscall.SIGKILL)
	} else if err := s.Terminate(stopPatience); err != nil {
		return err
	}
	u.StopSec = time.Since(begun).Seconds()
	before := machine.MomentOf(0, "", 0)
	took, err := firstReply(ctx, s, u.Jobs)
	if err != nil {
		return fmt.Errorf("after its restart: %w", err)
	}
	u.RecoverySec = took.Seconds()
	after := machine.MomentOf(s.PID(), "", 0)
	if err := errors.Join(before.Err, after.Err); err != nil {
		return err
	}
	// The machine's clock ticks every 10 ms: for a short time it says nothing.
	if took >= time.Second {
		res.OthersCPU = max(0, float64(after.Others(&before))/float64(took))
	}
	use, err := settled(ctx, s.PID(), set)
	u.RecoveredRSS, u.RecoveredPeak = use.RSS, use.Peak
	res.Server.RSS, res.Server.PeakRSS = use.RSS, use.Peak
	return err
}

// settled reads the server's memory when it has had time to give buffers back.
func settled(ctx context.Context, pid int, set generator.Settings) (server.Usage, error) {
	select {
	case <-time.After(set.Settle):
		return server.UsageOf(pid)
	case <-ctx.Done():
		return server.Usage{}, ctx.Err()
	}
}

// firstReply starts the server and tells how long it took until it answered. Its first
// answer must already count all its jobs: no client may see half a queue.
func firstReply(ctx context.Context, s *server.Launched, jobs int) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, restartPatience)
	defer cancel()
	begun := time.Now()
	if err := s.Start(); err != nil {
		return 0, err
	}
	conn, err := s.Connect(ctx)
	if err != nil {
		return 0, err
	}
	c := client.On(conn, s.Addr, restartPatience)
	defer context.AfterFunc(ctx, func() { c.HangUp() })()
	defer c.HangUp()
	stats, err := c.Stats("stats")
	took := time.Since(begun)
	switch {
	case ctx.Err() != nil:
		return 0, fmt.Errorf("%v did not answer: %w", s.Addr, ctx.Err())
	case err != nil:
		return 0, ending(s, err)
	case stats.Number("current-jobs-ready") != int64(jobs):
		return 0, fmt.Errorf("the server has %d jobs ready, and should have %d", stats.Number("current-jobs-ready"),
			jobs)
	}
	return took, nil
}

// ending adds to a connection's error that the server has ended, if it has.
func ending(s *server.Launched, err error) error {
	select {
	case <-s.Exited():
	case <-time.After(server.StopWithin):
	}
	return errors.Join(err, s.Died())
}
