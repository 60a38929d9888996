package router

import "beanfield/shard/queue"

// Use makes name the tube in use.
func (s *Session) Use(name []byte) bool {
	if s.used == string(name) {
		return true
	}
	s.used = string(name)
	from, to := s.usedRef, s.ref(s.r.TubeShard(name))
	s.usedRef = to
	s.script.begin()
	s.script.addName(to.shard, queue.Use, s.used)
	if from != to {
		s.script.add(from.shard, queue.Op{Kind: queue.Unuse})
	}
	return s.play(nil)
}

// Watch adds name to the tubes watched, unless it is among them.
func (s *Session) Watch(name []byte) bool {
	if s.watched.index(name) >= 0 {
		return true
	}
	f := s.ref(s.r.TubeShard(name))
	f.watching++
	s.watched.add(string(name))
	s.weigh(string(name), 1)
	s.findWatchShard()
	s.script.begin()
	s.script.addName(f.shard, queue.Watch, string(name))
	return s.play(nil)
}

// Ignore takes name from the tubes watched. It refuses to take the last.
func (s *Session) Ignore(name []byte) (done, refused bool) {
	i := s.watched.index(name)
	if i < 0 {
		return true, false
	}
	if s.watched.count == 1 {
		return true, true
	}
	s.watched.removeAt(i)
	s.weigh(string(name), -1)
	if s.isHidden(name) {
		s.reveal(name)
		return true, false
	}
	f := s.refs[s.r.TubeShard(name)]
	f.watching--
	s.findWatchShard()
	s.script.begin()
	s.script.addName(f.shard, queue.Ignore, string(name))
	return s.play(nil), false
}

func (s *Session) findWatchShard() {
	s.watchShard = -1
	for _, f := range s.live {
		if f.watching > 0 {
			if s.watchShard >= 0 {
				s.watchShard = -1
				return
			}
			s.watchShard = f.shard
		}
	}
}

// Close ends the session: its wait, the jobs it holds, its tubes.
func (s *Session) Close() bool {
	s.cancel() // if this loses, Detach finds the job delivered
	s.waiting = false
	s.uncontend()
	s.script.begin()
	for _, f := range s.live {
		s.script.add(f.shard, queue.Op{Kind: queue.Detach})
	}
	return s.play((*Session).leaveTubes)
}

// leaveTubes lets go of some of the tubes, and of the rest when others have been
// served. They go in the order in which the reference lets them go, because
// list-tubes shows it: always the first, whose place the last takes.
func (s *Session) leaveTubes() bool {
	s.script.begin()
	for n := 0; n < maxSteps && s.watched.count > 0; n++ {
		name := s.watched.at(0)
		s.watched.removeAt(0)
		if !s.isHidden([]byte(name)) {
			s.script.addName(s.r.TubeShard([]byte(name)), queue.Ignore, name)
		}
	}
	if s.watched.count > 0 {
		return s.play(func(s *Session) bool { return s.rest((*Session).leaveTubes) })
	}
	s.script.add(s.usedRef.shard, queue.Op{Kind: queue.Unuse})
	return s.play(nil)
}

// CountAll gathers the totals of all shards in Sums, or of the tubes that an authorizer allows.
func (s *Session) CountAll(j queue.Authorizer) bool {
	s.Sums = &queue.Sums{}
	s.script.begin()
	s.script.authorizer = j
	for i := range s.r.shards {
		s.script.add(i, queue.Op{Kind: queue.Totals})
	}
	return s.play(nil)
}
