package router

import (
	"context"

	"beanfield/shard"
	"beanfield/shard/queue"
	"beanfield/storage"
)

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
