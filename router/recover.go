package router

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"beanfield/storage"
)

// recover puts back what the logs hold, all shards in parallel, before anything
// else can touch them. New ids are above the highest that any log has ever seen.
func (r *Router) recover(log *slog.Logger, steps *storage.Steps) error {
	var jobs, bytes atomic.Int64
	stop := report(log, &jobs, &bytes)
	defer stop()
	errs := make([]error, len(r.logs))
	highest := make([]uint64, len(r.logs))
	var all sync.WaitGroup
	for i, l := range r.logs {
		all.Go(func() {
			step := steps.Begin(fmt.Sprintf("replaying shard-%03d", i), "jobs")
			defer step.End()
			highest[i] = l.MaxID()
			now := r.Now()
			err := l.ReplayQueues(func(q *storage.Queue) error {
				r.states[i].RestoreQueue(q)
				return nil
			})
			if err != nil {
				errs[i] = fmt.Errorf("shard %d: %w", i, err)
				return
			}
			err = l.Replay(func(j *storage.Job, body []byte) error {
				highest[i] = max(highest[i], j.ID)
				r.states[i].Restore(now, j, body)
				r.ids.adopt(j.ID, i)
				jobs.Add(1)
				step.Count()
				bytes.Add(int64(len(body)))
				return nil
			})
			if err != nil {
				errs[i] = fmt.Errorf("shard %d: %w", i, err)
			}
			r.states[i].Restored()
		})
	}
	all.Wait()
	r.highest = slices.Max(highest)
	return errors.Join(errs...)
}

// report logs every second how far a recovery has come, and once how it ended.
func report(log *slog.Logger, jobs, bytes *atomic.Int64) (stop func()) {
	if log == nil {
		return func() {}
	}
	begun := time.Now()
	say := func(what string) {
		log.Info(what, "jobs", jobs.Load(), "bytes", bytes.Load(), "seconds", time.Since(begun).Seconds())
	}
	tick, done := time.NewTicker(time.Second), make(chan struct{})
	go func() {
		for {
			select {
			case <-tick.C:
				say("recovering")
			case <-done:
				return
			}
		}
	}()
	return func() {
		tick.Stop()
		close(done)
		if jobs.Load() > 0 {
			say("recovered")
		}
	}
}

// LogStats sums the figures of all logs; Err is the first that there is.
func (r *Router) LogStats() storage.LogStats {
	var sum storage.LogStats
	for _, l := range r.logs {
		st := l.Stats()
		sum.Written += st.Written
		sum.Syncs += st.Syncs
		sum.Live += st.Live
		sum.Bytes += st.Bytes
		sum.Full = sum.Full || st.Full
		if sum.Err == nil {
			sum.Err = st.Err
		}
	}
	return sum
}

// Checkpoint writes a consistent copy of the store to dir while it is in use.
func (r *Router) Checkpoint(dir string) error {
	c, ok := r.store.(storage.Checkpointer)
	if !ok {
		return errors.New("router: the store keeps nothing that could be copied")
	}
	return c.Checkpoint(dir)
}
