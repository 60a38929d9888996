package router

import (
	"context"
	"sync"

	"beanfield/shard"
	"beanfield/shard/queue"
)

// limits are what a server may have in all shards together. Shards count for them only while there are any.
type limits struct {
	mu    sync.Mutex // of those who change them
	on    bool
	quota Quota
}

// SetLimits sets what all shards may have together. When it returns, each put is held to them. While they are
// switched on, one shard after the other adds what it has, in a turn of its own; until all have, nobody knows the
// sum, and puts are counted and not refused.
func (r *Router) SetLimits(most queue.Amount) {
	l := &r.limits
	l.mu.Lock()
	defer l.mu.Unlock()
	if on := most != (queue.Amount{}); on != l.on {
		l.quota.Limit(queue.Amount{}) // also while shards go: the rest is less than the sum
		var q queue.Quota
		if l.on = on; on {
			q = &l.quota
		}
		for _, sh := range r.shards {
			sh.Look(context.Background(), func(s *queue.State, _ *shard.Figures) { s.SetQuota(q) })
		}
	}
	l.quota.Limit(most)
}

// Quota is what limits hold for, and what there is of it: nothing while there are none.
func (r *Router) Quota() *Quota { return &r.limits.quota }
