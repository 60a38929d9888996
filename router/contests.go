package router

import (
	"sync"
	"sync/atomic"

	"github.com/cespare/xxhash/v2"

	"beanfield/shard/queue"
)

// Sessions that watch the same tubes, at least two and one of them with a weight, have a contest
// together (package queue, Contest). A session finds it when it first reserves after a change
// of its tubes or of the policies; nothing of this is on the way of other reserves.

// contest is that of one set of tubes.
type contest struct {
	key   uint64
	users int             // sessions; under contests.mu
	parts []queue.Contest // by shard
	contestClock
}

// contestClock implements queue.Clock for all shards.
type contestClock struct{ tag atomic.Uint64 }

// Read implements queue.Clock.
func (k *contestClock) Read() uint64 { return k.tag.Load() }

// Advance implements queue.Clock. Tags wrap around.
func (k *contestClock) Advance(tag uint64) {
	for {
		was := k.tag.Load()
		if int64(tag-was) <= 0 || k.tag.CompareAndSwap(was, tag) {
			return
		}
	}
}

// keepContests is how many contests are kept without anybody in them, at least: workers may come
// for one job each, and the next is to go on where the last has left.
const keepContests = 1000

type contests struct {
	mu    sync.Mutex
	all   map[uint64]*contest // by the sum of the tubes' hashes, and that of the tags
	sweep int                 // how many there may be before those without users go
}

// enter finds a contest, or begins it.
func (a *contests) enter(key uint64, shards int) *contest {
	a.mu.Lock()
	defer a.mu.Unlock()
	x := a.all[key]
	if x == nil {
		x = &contest{key: key, parts: make([]queue.Contest, shards)}
		for i := range x.parts {
			x.parts[i].Clock = &x.contestClock
		}
		a.tidy()
		a.all[key] = x
	}
	x.users++
	return x
}

// tidy forgets contests that nobody is in, now and then, so that each costs little.
func (a *contests) tidy() {
	if a.all == nil {
		a.all, a.sweep = map[uint64]*contest{}, keepContests
	}
	if len(a.all) < a.sweep {
		return
	}
	for key, x := range a.all {
		if x.users == 0 {
			delete(a.all, key)
		}
	}
	a.sweep = 2*len(a.all) + keepContests
}

func (a *contests) leave(x *contest) {
	a.mu.Lock()
	x.users--
	a.mu.Unlock()
}

// rules are the policies as sessions see them: which tubes have weights. There are others after
// each reload.
type rules struct {
	of func(tube string) *queue.Policy
}

func (r *rules) weighs(tube string) bool {
	p := r.of(tube)
	return p != nil && p.Weight > 0
}

// setRules brings other policies, or none.
func (r *Router) setRules(of func(tube string) *queue.Policy) {
	if of == nil {
		r.rules.Store(nil)
	} else {
		r.rules.Store(&rules{of})
	}
}

// contender is a session's part in contests.
type contender struct {
	contest *contest // of its latest reserve; nil for none
	rules   *rules   // that heavy was counted by
	heavy   int      // how many watched tubes have a weight
}

// weigh counts a tube that is watched from now on, or no longer.
func (s *Session) weigh(tube string, by int) {
	if r := s.r.rules.Load(); r != nil && r == s.rules && r.weighs(tube) {
		s.heavy += by
	}
}

// contend finds the contest of the tubes that are watched now, by those who ask for certain tags: what a
// tube has for others has no part in it.
func (s *Session) contend(tags queue.Tags) {
	r := s.r.rules.Load()
	if r == nil && s.contest == nil {
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
	case s.contest == nil || s.contest.key != key:
		s.uncontend()
		s.contest = s.r.contests.enter(key, len(s.r.shards))
	}
}

// uncontend leaves the contest that the session is in.
func (s *Session) uncontend() {
	if s.contest != nil {
		s.r.contests.leave(s.contest)
		s.contest = nil
	}
}

// contestIn is a shard's part of the session's contest.
func (s *Session) contestIn(shard int) *queue.Contest {
	if s.contest == nil {
		return nil
	}
	return &s.contest.parts[shard]
}
