package event

import (
	"slices"
	"time"
)

// served ends a connection's turn, and hands the pending pushes over if there has been much work
// since the first of them.
func (l *Loop) served() {
	l.over()
	if !l.mustPush() {
		return
	}
	if l.pending.work += effortTurn + EffortShare - l.Effort; l.pending.work > gatherShare || l.bulk >= bulkShare {
		l.handOver()
	}
}

// handOver leaves all pending pushes to the logs' own goroutines.
func (l *Loop) handOver() {
	for _, shard := range l.pending.shards {
		l.group.Shards.Push(shard, false)
	}
	l.pending.shards, l.pending.set, l.pending.work = l.pending.shards[:0], 0, 0
}

// pushAll makes the pending pushes: the latest in place, if the loop is steady. It reports false if another
// goroutine has the loop afterwards.
func (l *Loop) pushAll() bool {
	d := &l.pending
	if d.streak++; d.set != d.last {
		d.last, d.streak = d.set, 0
	}
	if d.streak < steadyAfter || l.stranded.Load() > 0 {
		l.handOver()
		return true
	}
	last := d.shards[len(d.shards)-1]
	d.shards = d.shards[:len(d.shards)-1]
	l.handOver()
	d.count++
	this := d.count
	l.pushing.Store(this)
	l.group.relief()
	l.group.Shards.Push(last, true)
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
func (g *Group) relief() {
	if !g.relieving.Load() && g.relieving.CompareAndSwap(false, true) {
		go g.relieve()
	}
}

// relieve starts stand-ins for loops whose push takes long. It ends when there has
// been none for a while.
func (g *Group) relieve() {
	seen := make([]uint64, len(g.loops))
	for quiet := 0; ; quiet++ {
		time.Sleep(longestPush)
		if g.relieveOnce(seen) {
			quiet = 0
		}
		if quiet < reliefStays {
			continue
		}
		g.relieving.Store(false)
		// A push that began before this store may have counted on it.
		if !g.relieveOnce(seen) || !g.relieving.CompareAndSwap(false, true) {
			return
		}
		quiet = 0
	}
}

// relieveOnce relieves the loops that are in the same push as seen the last time. It
// reports whether any loop is in a push.
func (g *Group) relieveOnce(seen []uint64) (any bool) {
	for i, l := range g.loops {
		this := l.pushing.Load()
		any = any || this != 0
		if this != 0 && this == seen[i] && l.pushing.CompareAndSwap(this, 0) {
			l.stranded.Add(1)
			go l.Serve()
		}
		seen[i] = this
	}
	return any
}

// pushes are pending: the turns that a loop's connections have committed and that nobody writes to
// the disk yet. doc.go says when and how a loop pushes them (Commits). They are the loop's.
type pushes struct {
	shards []int  // that have such turns
	set    uint64 // the same as bits; shards from 64 on share those of others
	work   int    // on connections, since there are any

	last   uint64 // the set that was pushed last
	streak int    // how often in a row, before that, it was the same set
	count  uint64 // of pushes in place
}

const (
	// gatherShare is how much work a loop may do on connections while a turn waits to be
	// pushed: two connections' largest share, or a turn each for more than a hundred.
	gatherShare = 2 * EffortShare
	// effortTurn is what a connection's turn counts besides its commands.
	effortTurn = 16
	// steadyAfter is how many pushes of the same set make a loop steady.
	steadyAfter = 16
	// swiftAfter is how many runs in a row must be answered at once to be a bystander.
	swiftAfter = 8
)

// pushLater notes that a call waits for a shard whose log was not woken for it.
func (l *Loop) pushLater(shard int) {
	d, bit := &l.pending, uint64(1)<<(shard%64)
	if d.set&bit == 0 || !slices.Contains(d.shards, shard) {
		d.set |= bit
		d.shards = append(d.shards, shard)
	}
}

// mustPush says whether the loop has to push before it sleeps.
func (l *Loop) mustPush() bool { return len(l.pending.shards) > 0 }

// Swift notes that a run was answered at once. A connection with many such runs in a row is
// a bystander: it would suffer from a push in place.
func (c *Conn) Swift() {
	if c.swiftRuns++; c.swiftRuns > swiftAfter {
		c.swiftRuns = swiftAfter
		c.loop.pending.streak = 0
	}
}
