package router

import (
	"context"
	"sync"
	"sync/atomic"

	"beanfield/shard"
	"beanfield/shard/queue"
)

// limits are what a server may have in all shards together. Shards count for them only while there are any.
type limits struct {
	mu    sync.Mutex // of those who change them
	on    bool
	quota Quota
	first atomic.Uint32  // which shard is told first
	rung  atomic.Bool    // a goroutine is about to tell the shards that there is room
	rings sync.WaitGroup // of these
}

// SetLimits sets what all shards may have together. When it returns, each put is held to them. While they are
// switched on, one shard after the other adds what it has, in a turn of its own; until all have, nobody knows the
// sum, and puts are counted and not refused.
func (r *Router) SetLimits(most queue.Amount) {
	l := &r.limits
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.quota.ring == nil {
		l.quota.ring = r.ring
	}
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

// ring has all shards look for puts that there is room for by now. It may be called in the turn of one of them, so
// another goroutine does it.
func (r *Router) ring() {
	if l := &r.limits; !l.rung.Swap(true) {
		l.rings.Go(func() {
			l.rung.Store(false)
			r.roomAgain()
		})
	}
}

// roomAgain begins with another shard each time, so that none is always the first to find room.
func (r *Router) roomAgain() {
	first := int(r.limits.first.Add(1)) % len(r.shards)
	for i := range r.shards {
		sh := r.shards[(first+i)%len(r.shards)]
		sh.Look(context.Background(), func(s *queue.State, _ *shard.Figures) { s.RoomAgain() })
	}
}

// Quota is what limits hold for, and what there is of it: nothing while there are none.
func (r *Router) Quota() *Quota { return &r.limits.quota }
