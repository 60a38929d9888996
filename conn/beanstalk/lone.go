package beanstalk

import "time"

// A client that has its loop to itself waits for each of its commits, and the loop has
// nothing to do meanwhile. So the loop pushes such a commit to the disk in its own
// goroutine: handing it to the log's goroutine, and being woken by that, takes a fifth
// more time and CPU. Two things protect the loop's other connections:
//
// A loop pushes in place only for a connection that has been the only one to submit
// anything for a while, with no event waiting, and where syncs have been short.
//
// A loop in a push can be relieved. When the push takes long, or never returns because
// the log has failed, a stand-in goes on with the loop, and the goroutine that was in
// the push ends when the push returns. Between two events a loop has no state on its
// goroutine's stack, so any goroutine can go on with it.

// lone knows whether one connection has the loop to itself. It is the loop's.
type lone struct {
	recent *Conn // who submitted a run last
	streak int   // how many runs before, in a row; negative after a slow push
	pushes uint64
	owed   bool // a run was submitted to this shard, to be pushed
	shard  int
}

const (
	// aloneAfter is how many runs in a row a connection must submit to count as alone.
	aloneAfter = 16
	// A push that takes longer than slowPush has met a slow disk, compared with which a
	// change of goroutine costs nothing. The next slowRuns runs are not pushed here.
	slowPush = time.Millisecond
	slowRuns = 32
)

// alone says whether a connection that is about to submit a run has the loop to itself.
func (l *loop) alone(c *Conn) bool {
	switch {
	case l.lone.recent != c:
		l.lone.recent, l.lone.streak = c, 0
	case l.lone.streak < aloneAfter:
		l.lone.streak++
	default:
		return l.calls == 0
	}
	return false
}

// owes notes that a run was submitted which is to be pushed.
func (l *loop) owes(shard int) { l.lone.owed, l.lone.shard = true, shard }

// push pushes what is owed, in place if the loop is idle. It reports false if another
// goroutine has the loop afterwards.
func (l *loop) push(idle bool) bool {
	shard := l.lone.shard
	l.lone.owed = false
	if !idle || l.calls != 1 {
		l.server.router.Push(shard, false)
		return true
	}
	l.lone.pushes++
	this := l.lone.pushes
	l.pushing.Store(this)
	l.server.relief()
	began := l.server.router.Now()
	l.server.router.Push(shard, true)
	if !l.pushing.CompareAndSwap(this, 0) {
		return false
	}
	if time.Duration(l.server.router.Now()-began) > slowPush {
		l.lone.streak = -slowRuns
	}
	return true
}

const (
	// longestPush is how long a push takes, or up to twice that, before it is relieved.
	longestPush = 5 * time.Millisecond
	// reliefStays is how many times longestPush relieve looks on without any push.
	reliefStays = 4
)

// relief makes sure that relieve runs.
func (s *Server) relief() {
	if !s.relieving.Load() && s.relieving.CompareAndSwap(false, true) {
		go s.relieve()
	}
}

// relieve starts stand-ins for loops whose push takes long. It ends when there has
// been none for a while.
func (s *Server) relieve() {
	seen := make([]uint64, len(s.loops))
	for quiet := 0; ; quiet++ {
		time.Sleep(longestPush)
		if s.relieveOnce(seen) {
			quiet = 0
		}
		if quiet < reliefStays {
			continue
		}
		s.relieving.Store(false)
		// A push that began before this store may have counted on it.
		if !s.relieveOnce(seen) || !s.relieving.CompareAndSwap(false, true) {
			return
		}
		quiet = 0
	}
}

// relieveOnce relieves the loops that are in the same push as seen the last time. It
// reports whether any loop is in a push.
func (s *Server) relieveOnce(seen []uint64) (any bool) {
	for i, l := range s.loops {
		this := l.pushing.Load()
		any = any || this != 0
		if this != 0 && this == seen[i] && l.pushing.CompareAndSwap(this, 0) {
			l.lone.streak = -slowRuns
			go l.serve()
		}
		seen[i] = this
	}
	return any
}
