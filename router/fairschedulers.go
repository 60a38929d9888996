package router

import (
	"sync"
	"sync/atomic"

	"github.com/cespare/xxhash/v2"

	"beanfield/shard/queue"
	"beanfield/shard/queue/policy"
)

// Sessions that watch the same tubes, at least two and one of them with a weight, have a fair scheduler
// together (package policy, FairScheduler). A session finds it when it first reserves after a change
// of its tubes or of the policies; nothing of this is on the way of other reserves.

// fairScheduler is that of one set of tubes.
type fairScheduler struct {
	key   uint64
	users int                    // sessions; under fairs.mu
	parts []policy.FairScheduler // by shard
	fairClock
}

// fairClock implements policy.Clock for all shards.
type fairClock struct{ tag atomic.Uint64 }

// Read implements policy.Clock.
func (k *fairClock) Read() uint64 { return k.tag.Load() }

// Advance implements policy.Clock. Tags wrap around.
func (k *fairClock) Advance(tag uint64) {
	for {
		was := k.tag.Load()
		if int64(tag-was) <= 0 || k.tag.CompareAndSwap(was, tag) {
			return
		}
	}
}

// keepFair is how many fair schedulers are kept without anybody in them, at least: workers may come
// for one job each, and the next is to go on where the last has left.
const keepFair = 1000

type fairs struct {
	mu    sync.Mutex
	all   map[uint64]*fairScheduler // by the sum of the tubes' hashes, and that of the tags
	sweep int                       // how many there may be before those without users go
}

// enter finds a fair scheduler, or begins it.
func (a *fairs) enter(key uint64, shards int) *fairScheduler {
	a.mu.Lock()
	defer a.mu.Unlock()
	x := a.all[key]
	if x == nil {
		x = &fairScheduler{key: key, parts: make([]policy.FairScheduler, shards)}
		for i := range x.parts {
			x.parts[i].Clock = &x.fairClock
		}
		a.tidy()
		a.all[key] = x
	}
	x.users++
	return x
}

// tidy forgets fair schedulers that nobody is in, now and then, so that each costs little.
func (a *fairs) tidy() {
	if a.all == nil {
		a.all, a.sweep = map[uint64]*fairScheduler{}, keepFair
	}
	if len(a.all) < a.sweep {
		return
	}
	for key, x := range a.all {
		if x.users == 0 {
			delete(a.all, key)
		}
	}
	a.sweep = 2*len(a.all) + keepFair
}

func (a *fairs) leave(x *fairScheduler) {
	a.mu.Lock()
	x.users--
	a.mu.Unlock()
}

// rules are the policies as sessions see them: which tubes have weights. There are others after
// each reload.
type rules struct {
	of func(tube string) *policy.Policy
}

func (r *rules) weighs(tube string) bool {
	p := r.of(tube)
	return p != nil && p.Weight > 0
}

// setRules brings other policies, or none.
func (r *Router) setRules(of func(tube string) *policy.Policy) {
	if of == nil {
		r.rules.Store(nil)
	} else {
		r.rules.Store(&rules{of})
	}
}

// contender is a session's part in fair schedulers.
type contender struct {
	fairScheduler *fairScheduler // of its latest reserve; nil for none
	rules         *rules         // that heavy was counted by
	heavy         int            // how many watched tubes have a weight
}

// weigh counts a tube that is watched from now on, or no longer.
func (s *Session) weigh(tube string, by int) {
	if r := s.r.rules.Load(); r != nil && r == s.rules && r.weighs(tube) {
		s.heavy += by
	}
}

// contend finds the fair scheduler of the tubes that are watched now, by those who ask for certain tags: what a
// tube has for others has no part in it.
func (s *Session) contend(tags queue.Tags) {
	r := s.r.rules.Load()
	if r == nil && s.fairScheduler == nil {
		return
	}
	if r != s.rules {
		s.rules, s.heavy = r, 0
		for i := 0; r != nil && i < s.watched.count; i++ {
			s.weigh(s.watched.at(i), 1)
		}
	}
	key := s.watched.sum
	if len(tags) > 0 {
		key += xxhash.Sum64(tags)
	}
	switch {
	case r == nil, s.heavy == 0, s.watched.count < 2:
		s.uncontend()
	case s.fairScheduler == nil || s.fairScheduler.key != key:
		s.uncontend()
		s.fairScheduler = s.r.fairs.enter(key, len(s.r.shards))
	}
}

// uncontend leaves the fair scheduler that the session is in.
func (s *Session) uncontend() {
	if s.fairScheduler != nil {
		s.r.fairs.leave(s.fairScheduler)
		s.fairScheduler = nil
	}
}

// fairIn is a shard's part of the session's fair scheduler.
func (s *Session) fairIn(shard int) *policy.FairScheduler {
	if s.fairScheduler == nil {
		return nil
	}
	return &s.fairScheduler.parts[shard]
}
