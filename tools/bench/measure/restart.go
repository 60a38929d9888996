//go:build linux

package measure

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"beanfield/conn/beanstalk/client"
	"beanfield/tools/bench/load"
	"beanfield/tools/server"
)

// A server with many jobs may take minutes to come back, and to end.
const (
	restartPatience = 5 * time.Minute
	stopPatience    = 2 * time.Minute
)

// restarted starts a server, fills it, ends it, with SIGTERM if the load says nothing else, and starts it again. Peaks
// are VmHWM: the kernel keeps it, so that no moment is missed.
func restarted(ctx context.Context, s *server.Launched, ld load.Load, settle time.Duration) (*load.Result, error) {
	u := &load.Recovery{Jobs: ld.Backlog}
	res := &load.Result{Load: ld, Recovery: u}
	took, err := firstReply(ctx, s, 0)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", server.ErrNotStarted, err)
	}
	u.StartSec = took.Seconds()
	if ld.Backlog > 0 {
		if err := fill(ctx, u, s, &ld, settle); err != nil {
			return nil, errors.Join(err, s.Died())
		}
		if err := again(ctx, s, &ld, settle, res); err != nil {
			return nil, err
		}
	}
	res.Server.OnDisk = s.OnDisk()
	return res, nil
}

// fill puts the jobs and reads the server's memory when all are there.
func fill(ctx context.Context, u *load.Recovery, s *server.Launched, ld *load.Load, settle time.Duration) error {
	begun := time.Now()
	if err := load.FillBacklog(s.Addr, ld); err != nil {
		return err
	}
	u.LoadSec = time.Since(begun).Seconds()
	use, err := settled(ctx, s.PID(), settle)
	u.LoadedRSS, u.LoadedPeak = use.RSS, use.Peak
	return err
}

// again ends the server and measures how it comes back.
func again(ctx context.Context, s *server.Launched, ld *load.Load, settle time.Duration, res *load.Result) error {
	begun, u := time.Now(), res.Recovery
	if ld.Kill {
		s.End(syscall.SIGKILL)
	} else if err := s.Terminate(stopPatience); err != nil {
		return err
	}
	u.StopSec = time.Since(begun).Seconds()
	before := new(load.Target).Moment(0)
	took, err := firstReply(ctx, s, u.Jobs)
	if err != nil {
		return fmt.Errorf("after its restart: %w", err)
	}
	u.RecoverySec = took.Seconds()
	after := (&load.Target{PID: s.PID()}).Moment(int64(took))
	if err := errors.Join(before.Err, after.Err); err != nil {
		return err
	}
	// The machine's clock ticks every 10 ms: for a short time it says nothing.
	if took >= time.Second {
		res.OthersCPU = after.Others(&before)
	}
	use, err := settled(ctx, s.PID(), settle)
	u.RecoveredRSS, u.RecoveredPeak = use.RSS, use.Peak
	u.Peak = float64(use.Peak) / float64(min(u.LoadedRSS, use.RSS))
	res.Server.RSS, res.Server.PeakRSS = use.RSS, use.Peak
	return err
}

// firstReply starts the server and tells how long it took until it answered. Its first answer must already count all
// its jobs: no client may see half a queue.
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
	ready := stats.Number("current-jobs-ready")
	switch {
	case ctx.Err() != nil:
		return 0, fmt.Errorf("%v did not answer: %w", s.Addr, ctx.Err())
	case err != nil:
		// If the server has ended, it has said why.
		select {
		case <-s.Exited():
		case <-time.After(server.StopWithin):
		}
		return 0, errors.Join(err, s.Died())
	case ready != int64(jobs):
		return 0, fmt.Errorf("the server has %d jobs ready, and should have %d", ready, jobs)
	}
	return took, nil
}
