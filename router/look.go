package router

import (
	"context"

	"beanfield/shard"
	"beanfield/shard/queue"
	"beanfield/storage"
)

// everywhere calls fn in a turn of each shard, one after the other.
func (r *Router) everywhere(fn func(*queue.State)) {
	for _, sh := range r.shards {
		sh.Look(context.Background(), func(s *queue.State, _ *shard.Figures) { fn(s) })
	}
}

// Figures are what a shard and its log count, for the metrics.
type Figures struct {
	shard.Figures
	Log     storage.LogStats
	LogMore storage.LogFigures // zero if the log does not know
}

// Look returns the figures of a shard, or reports false if the shard has not got round to
// it when ctx ends. It does not wait for the log.
func (r *Router) Look(ctx context.Context, i int) (Figures, bool) {
	var f shard.Figures
	ok := r.shards[i].Look(ctx, func(_ *queue.State, now *shard.Figures) { f = *now })
	if !ok {
		return Figures{}, false // f may still be written
	}
	all := Figures{Figures: f, Log: r.logs[i].Stats()}
	if m, ok := r.logs[i].(storage.Measured); ok {
		all.LogMore = m.Figures()
	}
	return all, true
}

// censusShare is how many tubes a shard reports at a time. That takes it about a twentieth of
// a millisecond, so no client waits for a census.
const censusShare = 128

// Census calls tell with the figures of a shard's tubes, some at a time, or reports false if
// the shard has not got round to it when ctx ends. Others have their turn between two
// calls. tell must not keep the slice.
func (r *Router) Census(ctx context.Context, i int, tell func([]queue.TubeFigures)) bool {
	list := make([]queue.TubeFigures, 0, censusShare)
	for from := uint32(1); from != 0; {
		var next uint32
		ok := r.shards[i].Look(ctx, func(s *queue.State, _ *shard.Figures) {
			list, next = s.Census(r.Now(), from, censusShare, list[:0])
		})
		if !ok {
			return false
		}
		from = next
		tell(list)
	}
	return true
}

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

// holdersShare is how many clients a shard goes through at a time: less than a tenth of a
// millisecond.
const holdersShare = 512

// Holders adds to held how many jobs clients hold in a shard, by the Owner of their session,
// or by the Receiver of a consumer. It reports false if the shard has not got round to it
// when ctx ends. Others have their turn between two parts.
func (r *Router) Holders(ctx context.Context, i int, held map[any]int) bool {
	list := make([]queue.Holding, 0, holdersShare)
	for from := uint32(1); from != 0; {
		var next uint32
		ok := r.shards[i].Look(ctx, func(s *queue.State, _ *shard.Figures) {
			list, next = s.Holders(from, holdersShare, list[:0])
		})
		if !ok {
			return false // list may still be written
		}
		from = next
		for _, h := range list {
			held[OwnerOf(h.By)] += h.Jobs
		}
	}
	return true
}
