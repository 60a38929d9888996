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
//
// The policies that were set at run time are with the queues of one shard, and must hold before there
// is any tube: one that only the others cover might otherwise lose jobs. So the other shards wait.
func (r *Router) recover(o *Options) error {
	var jobs, bytes atomic.Int64
	stop := report(o.Logger, &jobs, &bytes)
	defer stop()
	errs := make([]error, len(r.logs))
	highest := make([]uint64, len(r.logs))
	var all sync.WaitGroup
	known := make(chan struct{})
	for i, l := range r.logs {
		all.Go(func() {
			step := o.Steps.Begin(fmt.Sprintf("replaying shard-%03d", i), "jobs")
			defer step.End()
			now := r.Now()
			var queues []*storage.Queue
			err := l.ReplayQueues(func(q *storage.Queue) error {
				queues = append(queues, q)
				return nil
			})
			if i == r.policyShard() {
				r.findPolicies(queues, o.Kept)
				close(known)
			}
			<-known
			for _, q := range queues {
				r.states[i].RestoreQueue(q)
			}
			if err != nil {
				errs[i] = fmt.Errorf("shard %d: %w", i, err)
				return
			}
			err = l.Replay(func(j *storage.Job, body []byte) error {
				highest[i] = max(highest[i], j.ID)
				r.states[i].Restore(now, j, body)
				if j.State == storage.Spent {
					return nil
				}
				if j.Hops() == 0 {
					r.ids.adopt(j.ID, i) // the others: reconcile
				}
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
