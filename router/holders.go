package router

import (
	"context"

	"beanfield/shard"
	"beanfield/shard/queue"
)

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
