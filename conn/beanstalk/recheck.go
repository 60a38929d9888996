package beanstalk

// New rules take effect at once. A connection finds them at its next command, but one that waits
// in a reserve must be told: each loop goes through its connections, some at a time.

// recheck has all loops look at their connections. It must not run at the same time as Shutdown.
func (s *Server) recheck() {
	for _, l := range s.loops {
		l.recheck.Store(true)
		l.wake()
	}
}

// recheckSome looks at some connections. If rules are replaced again meanwhile, those that have
// been passed are looked at again.
func (l *loop) recheckSome() {
	if l.judged == 0 && l.partly == nil {
		l.rechecked, l.late = l.server.book.Load(), false
	}
	for left := recheckShare; l.judged < len(l.conns); {
		if left <= 0 {
			return
		}
		left -= l.recheckOne(l.conns[l.judged], left)
		if l.partly == nil {
			l.judged++
		}
	}
	l.judged = 0
	l.recheck.Store(false)
	if l.late || l.server.book.Load() != l.rechecked {
		l.recheck.Store(true)
	}
}

// recheckOne looks at one connection, or at a part of its tubes, and returns what that cost. If
// a part is left, the connection is in partly afterwards.
func (l *loop) recheckOne(c *Conn, most int) (cost int) {
	partly := l.partly
	l.partly = nil
	if c == nil || c.call != callNone || c.closed || c.shaking() || !c.session.Waiting() || !c.outdated() {
		return 1
	}
	if c.wake.room {
		l.turn()
		c.rejudgeRoom()
		c.goOn()
		return recheckCost
	}
	from := 0
	if c == partly && c.guard.policy == l.server.book.Load() {
		from = l.tubes
	} else {
		cost = recheckCost
	}
	l.turn()
	next, more := c.rejudgeWait(from, max(1, most-cost))
	if more {
		l.partly, l.tubes = c, next
	} else {
		c.goOn()
	}
	return cost + next - from + 1
}
