package beanstalk

// New rules take effect at once. A connection finds them at its next command, but one that waits
// in a reserve must be told: each loop goes through its connections, some at a time.

// recheckShare is how many connections are looked at before others have their turn. To find
// the rules that hold for one takes tens of microseconds if there are thousands.
const recheckShare = 16

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
	if l.judged == 0 {
		l.rechecked = l.server.book.Load()
	}
	end := min(l.judged+recheckShare, len(l.conns))
	for ; l.judged < end; l.judged++ {
		c := l.conns[l.judged]
		if c != nil && c.call == callNone && !c.closed && !c.shaking() && c.session.Waiting() && c.outdated() {
			l.turn()
			c.rejudgeWait()
			c.goOn()
			l.over()
		}
	}
	if l.judged < len(l.conns) {
		return
	}
	l.judged = 0
	l.recheck.Store(false)
	if l.server.book.Load() != l.rechecked {
		l.recheck.Store(true)
	}
}
