package beanstalk

import (
	"slices"
	"time"
)

// served ends a connection's turn, and hands the debts over if there has been much work
// since the first of them.
func (l *loop) served() {
	l.over()
	if !l.inDebt() {
		return
	}
	if l.owed.work += effortTurn + effortShare - l.effort; l.owed.work > gatherShare || l.bulk >= bulkShare {
		l.handOver()
	}
}

// handOver has the logs' own goroutines pay.
func (l *loop) handOver() {
	for _, shard := range l.owed.shards {
		l.server.router.Push(shard, false)
	}
	l.owed.shards, l.owed.set, l.owed.work = l.owed.shards[:0], 0, 0
}

// pay pays the debts: the latest in place, if the loop is steady. It reports false if another
// goroutine has the loop afterwards.
func (l *loop) pay() bool {
	d := &l.owed
	if d.streak++; d.set != d.paid {
		d.paid, d.streak = d.set, 0
	}
	if d.streak < steadyAfter || l.stranded.Load() > 0 {
		l.handOver()
		return true
	}
	last := d.shards[len(d.shards)-1]
	d.shards = d.shards[:len(d.shards)-1]
	l.handOver()
	d.pushes++
	this := d.pushes
	l.pushing.Store(this)
	l.server.relief()
	l.server.router.Push(last, true)
	if !l.pushing.CompareAndSwap(this, 0) {
		l.stranded.Add(-1)
		return false
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
			l.stranded.Add(1)
			go l.serve()
		}
		seen[i] = this
	}
	return any
}

// debts are the turns that a loop's connections have committed and that nobody writes to
// the disk yet. doc.go says when and how a loop pays them (Commits). They are the loop's.
type debts struct {
	shards []int  // that have such turns
	set    uint64 // the same as bits; shards from 64 on share those of others
	work   int    // on connections, since there are any

	paid   uint64 // the set that was paid last
	streak int    // how many payments in a row, before that one, were of the same set
	pushes uint64
}

const (
	// gatherShare is how much work a loop may do on connections while a turn waits to be
	// paid for: two connections' largest share, or a turn each for more than a hundred.
	gatherShare = 2 * effortShare
	// effortTurn is what a connection's turn counts besides its commands.
	effortTurn = 16
	// steadyAfter is how many payments of the same set make a loop steady.
	steadyAfter = 16
	// swiftAfter is how many runs in a row must be answered at once to be a bystander.
	swiftAfter = 8
)

// owes notes that a call waits for a shard whose log was not woken for it.
func (l *loop) owes(shard int) {
	d, bit := &l.owed, uint64(1)<<(shard%64)
	if d.set&bit == 0 || !slices.Contains(d.shards, shard) {
		d.set |= bit
		d.shards = append(d.shards, shard)
	}
}

// inDebt says whether the loop has to pay before it sleeps.
func (l *loop) inDebt() bool { return len(l.owed.shards) > 0 }

// swift notes that a run was answered at once. A connection with many such runs in a row is
// a bystander: it would suffer from a payment in place.
func (c *Conn) swift() {
	if c.swiftRuns++; c.swiftRuns > swiftAfter {
		c.swiftRuns = swiftAfter
		c.loop.owed.streak = 0
	}
}
