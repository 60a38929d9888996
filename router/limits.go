package router

import (
	"context"
	"sync"
	"sync/atomic"

	"beanfield/shard"
	"beanfield/shard/queue"
	"beanfield/shard/queue/policy"
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
func (r *Router) SetLimits(most policy.Amount) {
	l := &r.limits
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.quota.ring == nil {
		l.quota.ring = r.ring
	}
	if on := most != (policy.Amount{}); on != l.on {
		l.quota.Limit(policy.Amount{}) // also while shards go: the rest is less than the sum
		var q policy.Quota
		if l.on = on; on {
			q = &l.quota
		}
		r.everywhere(func(s *queue.State) { s.SetQuota(q) })
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

// Quota is what the jobs of all shards may be together, and what they are (policy.Quota). Any goroutine may call its
// methods. To claim is one compare-and-swap for each bound, so there is never more than there may be, not even for a
// moment. One that has no room for its bytes has had a place among the jobs for that moment, so that another claim
// may be refused which would have had room, just then.
type Quota struct {
	most, used [policy.Bounds]atomic.Int64
	refused    [policy.Bounds]atomic.Uint64
	waits      atomic.Int64 // puts that wait for room
	ring       func()       // is called when there is more room, while some wait
}

// Limit sets what there may be. What is there already stays.
func (q *Quota) Limit(most policy.Amount) {
	for b, n := range most {
		q.most[b].Store(n)
	}
	q.tell()
}

// tell says that there may be room for those who wait. It comes after the room: who begins to wait looks for
// room once more after that, so that one of the two sees the other.
func (q *Quota) tell() {
	if q.waits.Load() > 0 {
		q.ring()
	}
}

// Wait implements policy.Quota.
func (q *Quota) Wait(more int) { q.waits.Add(int64(more)) }

// Refuse implements policy.Quota.
func (q *Quota) Refuse(a policy.Amount) {
	if b := q.over(a); b < policy.Bounds {
		q.refused[b].Add(1)
	}
}

// over is the first bound for which so much more would be too much; Bounds if there is none.
func (q *Quota) over(a policy.Amount) policy.Bound {
	for b, n := range a {
		if most := q.most[b].Load(); most > 0 && q.used[b].Load()+n > most {
			return policy.Bound(b)
		}
	}
	return policy.Bounds
}

// Most is what there may be.
func (q *Quota) Most() (a policy.Amount) { return read(&q.most) }

// Used is what there is.
func (q *Quota) Used() (a policy.Amount) { return read(&q.used) }

func read(from *[policy.Bounds]atomic.Int64) (a policy.Amount) {
	for b := range a {
		a[b] = from[b].Load()
	}
	return a
}

// Refused is how often a put was refused because of a bound.
func (q *Quota) Refused(b policy.Bound) uint64 { return q.refused[b].Load() }

// Add implements policy.Quota.
func (q *Quota) Add(a policy.Amount) {
	less := false
	for b, n := range a {
		q.used[b].Add(n)
		less = less || n < 0
	}
	if less {
		q.tell()
	}
}

// Fits implements policy.Quota.
func (q *Quota) Fits(a policy.Amount) bool { return q.over(a) == policy.Bounds }

// Claim implements policy.Quota.
func (q *Quota) Claim(a policy.Amount) bool {
	for b, n := range a {
		if q.take(b, n) {
			continue
		}
		for b--; b >= 0; b-- {
			q.used[b].Add(-a[b])
		}
		q.tell() // others may have met what was taken for a moment
		return false
	}
	return true
}

// take adds to what there is of one, if that is not too much then.
func (q *Quota) take(b int, n int64) bool {
	for {
		used, most := q.used[b].Load(), q.most[b].Load()
		if most > 0 && used+n > most {
			return false
		}
		if q.used[b].CompareAndSwap(used, used+n) {
			return true
		}
	}
}
