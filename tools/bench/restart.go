package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// A restart is what a server that keeps its jobs on disk did from its first start to
// its second.
type restart struct {
	Jobs     int     `json:"jobs"`
	StartSec float64 `json:"start_s"` // until the first reply, without any data
	// The rest is left out where there were no jobs.
	LoadSec    float64 `json:"load_s,omitempty"`
	LoadedRSS  int64   `json:"loaded_rss_bytes,omitempty"` // at the end of loading
	LoadedPeak int64   `json:"loaded_peak_bytes,omitempty"`
	StopSec    float64 `json:"stop_s,omitempty"`
	// RecoverySec goes from the second start to a reply that counts every job.
	RecoverySec   float64 `json:"recovery_s,omitempty"`
	RecoveredRSS  int64   `json:"recovered_rss_bytes,omitempty"`
	RecoveredPeak int64   `json:"recovered_peak_bytes,omitempty"`
}

// A server with many jobs may take minutes to come back, and to end.
const (
	restartPatience = 5 * time.Minute
	stopPatience    = 2 * time.Minute
)

// measureRestart starts a server, fills it, ends it with SIGTERM and starts it again.
// Peaks are VmHWM: the kernel keeps it, so that no moment is missed.
func measureRestart(ctx context.Context, s *server, ld load, set settings) (*result, error) {
	if err := ld.check(); err != nil {
		return nil, err
	}
	u := &restart{Jobs: ld.Backlog}
	res := &result{Load: ld, Restart: u}
	begun := time.Now()
	took, err := s.firstReply(ctx, 0)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNotStarted, err)
	}
	u.StartSec = took.Seconds()
	if ld.Backlog > 0 {
		if err := u.load(ctx, s, &ld, set); err != nil {
			return nil, errors.Join(err, s.died())
		}
		if err := u.again(ctx, s, set, res); err != nil {
			return nil, err
		}
	}
	res.Seconds = time.Since(begun).Seconds()
	return res, nil
}

// load puts the jobs and reads the server's memory when all are there.
func (u *restart) load(ctx context.Context, s *server, ld *load, set settings) error {
	begun := time.Now()
	if err := fillBacklog(ctx, s.addr, ld, set.say); err != nil {
		return err
	}
	u.LoadSec = time.Since(begun).Seconds()
	use, err := settled(ctx, s.pid(), set)
	u.LoadedRSS, u.LoadedPeak = use.rss, use.peak
	return err
}

// again ends the server and measures how it comes back.
func (u *restart) again(ctx context.Context, s *server, set settings, res *result) error {
	begun := time.Now()
	if err := s.terminate(stopPatience); err != nil {
		return err
	}
	u.StopSec = time.Since(begun).Seconds()
	if err := awaitCalm(ctx, set.calm); err != nil {
		return err
	}
	all, err := machineBusy()
	if err != nil {
		return err
	}
	own, err := ownCPU()
	if err != nil {
		return err
	}
	took, err := s.firstReply(ctx, u.Jobs)
	if err != nil {
		return fmt.Errorf("after its restart: %w", err)
	}
	u.RecoverySec = took.Seconds()
	use, err := usageOf(s.pid())
	if err != nil {
		return err
	}
	res.OthersCPU, err = others(all, own, use.cpu, took)
	if err != nil {
		return err
	}
	use, err = settled(ctx, s.pid(), set)
	u.RecoveredRSS, u.RecoveredPeak = use.rss, use.peak
	res.Server.RSS, res.Server.PeakRSS = use.rss, use.peak
	return err
}

// others is how much of a processor others than the server and this program used since
// the two clocks were read. The machine's clock ticks every 10 ms: of a short time it
// tells nothing.
func others(all, own, server, took time.Duration) (float64, error) {
	if took < time.Second {
		return 0, nil
	}
	allNow, err := machineBusy()
	if err != nil {
		return 0, err
	}
	ownNow, err := ownCPU()
	return max(0, float64(allNow-all-(ownNow-own)-server)/float64(took)), err
}

// settled reads the server's memory when it has had time to give buffers back.
func settled(ctx context.Context, pid int, set settings) (usage, error) {
	select {
	case <-time.After(set.settle):
		return usageOf(pid)
	case <-ctx.Done():
		return usage{}, ctx.Err()
	}
}

// firstReply starts the server and tells how long it took until it answered. Its first
// answer must already count all its jobs: nobody may see half a queue.
func (s *server) firstReply(ctx context.Context, jobs int) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, restartPatience)
	defer cancel()
	begun := time.Now()
	if err := s.start(); err != nil {
		return 0, err
	}
	c, err := s.dialEarly(ctx)
	if err != nil {
		return 0, err
	}
	defer c.close()
	defer context.AfterFunc(ctx, c.close)()
	stats, err := c.stats()
	took := time.Since(begun)
	switch {
	case ctx.Err() != nil:
		return 0, fmt.Errorf("%v did not answer: %w", s.args, ctx.Err())
	case err != nil:
		return 0, s.ending(err)
	case stats["current-jobs-ready"] != int64(jobs):
		return 0, fmt.Errorf("the server has %d jobs ready, and should have %d", stats["current-jobs-ready"], jobs)
	}
	return took, nil
}

// ending adds to an error of a connection that the server ended, if that is why.
func (s *server) ending(err error) error {
	select {
	case <-s.exited:
	case <-time.After(serverStop):
	}
	return errors.Join(err, s.died())
}

// dialEarly connects as soon as the server lets it.
func (s *server) dialEarly(ctx context.Context) (*client, error) {
	retry := time.NewTicker(time.Millisecond)
	defer retry.Stop()
	for {
		c, err := dialClient(s.addr)
		if err == nil {
			return c, nil
		}
		select {
		case <-retry.C:
		case <-s.exited:
			return nil, s.died()
		case <-ctx.Done():
			return nil, fmt.Errorf("%v does not accept connections at %s: %w", s.args, s.addr, err)
		}
	}
}

// peak is the most memory that the restart took, against what the server needs for its
// jobs: before the restart or after it, whichever is less.
func (u *restart) peak() float64 {
	return float64(u.RecoveredPeak) / float64(min(u.LoadedRSS, u.RecoveredRSS))
}

func (u *restart) String() string {
	text := fmt.Sprintf("%.0f ms to the first reply without data", u.StartSec*1e3)
	if u.Jobs == 0 {
		return text
	}
	return text + fmt.Sprintf("; %d jobs put in %.1f s, %.0f MB resident, at most %.0f; ended in %.2f s; back in %.2f s, %.0f MB, at most %.0f",
		u.Jobs, u.LoadSec, mb(u.LoadedRSS), mb(u.LoadedPeak), u.StopSec, u.RecoverySec, mb(u.RecoveredRSS), mb(u.RecoveredPeak))
}
