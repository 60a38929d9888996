package beanstalk

import (
	"slices"
)

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
