package router

import (
	"context"

	"beanfield/shard"
	"beanfield/shard/queue"
)

// Tick applies an operation for a schedule, PutTick or NoteTick, in the shard of its tube. It returns
// when the log has what the operation has changed.
func (r *Router) Tick(op *queue.Op) {
	ops := [1]queue.Op{*op}
	r.applyAll(r.TubeShard([]byte(op.Tube)), ops[:])
	*op = ops[0]
}

// Ticks calls fn with the last tick of each schedule, wherever one is noted.
func (r *Router) Ticks(fn func(tube string, t queue.Tick)) {
	for _, sh := range r.shards {
		sh.Look(context.Background(), func(s *queue.State, _ *shard.Figures) { s.Ticks(fn) })
	}
}
