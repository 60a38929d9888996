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
