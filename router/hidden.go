package router

import "beanfield/shard/queue"

// A session may watch tubes that it may not take jobs from, such as the default tube, which
// every session watches at first. These are hidden: the client still has them among
// its watched tubes, but no shard knows of it, so nothing is ever delivered from them. If all
// are hidden, a reserve waits as at tubes that stay empty.

// reviewShare is how many watched tubes are reviewed before others are let in.
const reviewShare = 256

// Review hides those of the watched tubes from which the session may not reserve, and reveals
// those that it has hidden and from which it may. No wait may be under way.
func (s *Session) Review(may func(tube string) bool) bool { return s.reviewFrom(0, may) }

func (s *Session) reviewFrom(i int, may func(string) bool) bool {
	s.script.begin()
	end := min(i+reviewShare, s.watched.count)
	for ; i < end; i++ {
		name := s.watched.at(i)
		switch hide := !may(name); {
		case hide == s.isHidden([]byte(name)):
		case hide:
			s.hide(name)
		default:
			s.reveal([]byte(name))
			f := s.ref(s.r.TubeShard([]byte(name)))
			f.watching++
			s.script.addName(f.shard, queue.Watch, name)
		}
	}
	s.findWatchShard()
	if end == s.watched.count {
		return s.play(nil)
	}
	return s.play(func(s *Session) bool {
		return s.rest(func(s *Session) bool { return s.reviewFrom(end, may) })
	})
}

// Settled looks at watched tubes from the i-th on, at most that many, and says that Review would
// change none of these. next is where to go on; all have been looked at when it is Watching.
func (s *Session) Settled(i, most int, may func(tube string) bool) (next int, settled bool) {
	end := min(s.watched.count-i, most) + i
	for ; i < end; i++ {
		if name := s.watched.at(i); may(name) == s.isHidden([]byte(name)) {
			return i, false
		}
	}
	return i, true
}

func (s *Session) isHidden(name []byte) bool { return s.hidden != nil && s.hidden.index(name) >= 0 }

// hide takes a watched tube away from its shard.
func (s *Session) hide(name string) {
	if s.hidden == nil {
		s.hidden = &nameSet{}
	}
	s.hidden.add(name)
	f := s.refs[s.r.TubeShard([]byte(name))]
	f.watching--
	s.script.addName(f.shard, queue.Ignore, name)
}

// reveal takes a tube out of those that are hidden.
func (s *Session) reveal(name []byte) {
	s.hidden.removeAt(s.hidden.index(name))
	if s.hidden.count == 0 {
		s.hidden = nil
	}
}
