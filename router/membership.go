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
	if s.watching(name) >= 0 {
		return true
	}
	f := s.ref(s.r.TubeShard(name))
	f.watching++
	s.watched = append(s.watched, string(name))
	s.findWatchShard()
	s.script.begin()
	s.script.addName(f.shard, queue.Watch, string(name))
	return s.play(nil)
}

// Ignore takes name from the tubes watched. It refuses to take the last.
func (s *Session) Ignore(name []byte) (done, refused bool) {
	i := s.watching(name)
	if i < 0 {
		return true, false
	}
	last := len(s.watched) - 1
	if last == 0 {
		return true, true
	}
	s.watched[i] = s.watched[last]
	s.watched[last] = ""
	s.watched = s.watched[:last]
	f := s.refs[s.r.TubeShard(name)]
	f.watching--
	s.findWatchShard()
	s.script.begin()
	s.script.addName(f.shard, queue.Ignore, string(name))
	return s.play(nil), false
}

func (s *Session) watching(name []byte) int {
	for i, w := range s.watched {
		if w == string(name) {
			return i
		}
	}
	return -1
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

// Close ends the session: its wait, the jobs it holds, its tubes. The tubes
// go in the order in which the reference lets them go, because list-tubes
// shows it.
func (s *Session) Close() bool {
	s.gate.cancel() // if this loses, Detach finds the job delivered
	s.waiting = false
	s.script.begin()
	for _, f := range s.live {
		s.script.add(f.shard, queue.Op{Kind: queue.Detach})
	}
	for i, w := range s.watched {
		if i > 0 {
			w = s.watched[len(s.watched)-i]
		}
		s.script.addName(s.r.TubeShard([]byte(w)), queue.Ignore, w)
	}
	s.script.add(s.usedRef.shard, queue.Op{Kind: queue.Unuse})
	return s.play(nil)
}

// CountAll gathers the totals of all shards in Sums.
func (s *Session) CountAll() bool {
	s.Sums = queue.Sums{}
	s.script.begin()
	for i := range s.r.shards {
		s.script.add(i, queue.Op{Kind: queue.Totals})
	}
	return s.play(nil)
}
