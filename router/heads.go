package router

import (
	"context"

	"beanfield/shard"
	"beanfield/shard/queue"
)

// headsMost is how many jobs of one state a shard puts in order: less than a tenth of a
// millisecond.
const headsMost = 100

// Heads tells of the first jobs of a tube in a state, at most n and headsMost. It reports
// false if the shard has not got round to it when ctx ends.
func (r *Router) Heads(ctx context.Context, tube string, st queue.JobState, n int) (list []queue.JobFigures, ok bool) {
	var found []queue.JobFigures
	ok = r.shards[r.TubeShard([]byte(tube))].Look(ctx, func(s *queue.State, _ *shard.Figures) {
		found = s.Heads(r.Now(), tube, st, min(n, headsMost))
	})
	if !ok {
		return nil, false // found may still be written
	}
	return found, true
}

// Been says where a job has been a dead letter, or was moved from, the oldest first. It reports false if the
// shard has not got round to it when ctx ends.
func (r *Router) Been(ctx context.Context, id uint64) (list []queue.Trace, ok bool) {
	i, known := r.Owner(id)
	if !known {
		return nil, true
	}
	var found []queue.Trace
	if ok = r.shards[i].Look(ctx, func(s *queue.State, _ *shard.Figures) { found = s.Been(id) }); !ok {
		return nil, false // found may still be written
	}
	return found, true
}
