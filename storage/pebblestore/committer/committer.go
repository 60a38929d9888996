package committer

import (
	"sync"
	"time"

	"beanfield/storage"
	"beanfield/storage/pace"
)

// Log is what a committer needs of its log.
type Log interface {
	// Apply appends a group to the log. When it returns without an error, the
	// group is as durable as the store's mode promises.
	Apply(g *Group) error
	// Broken is told the error of an apply. In the end it calls the committer's fail.
	Broken(err error)
}

// Committer carries out the commits of one shard. The shard commits turns; the
// committer applies groups of them, one at a time and in order, and tells their acks;
// the log syncs.
//
// While a group is applied, the owner fills the next one. Every turn that ends
// meanwhile goes into it: one sync serves them all. A group is applied by the
// committer's goroutine, run, or by a caller of Push that would only wait for it.
// The one that applies it has set applying, so only one goroutine applies at a time.
type Committer struct {
	env    Log
	Strict bool // a turn is acknowledged when it is applied: the mode is Always
	// maxQueued is how many bytes may be queued before even a turn that need not wait
	// for its sync has to wait. It bounds the memory and the wait, and keeps a batch
	// small.
	maxQueued int

	// inTurn says that the turn under way has written. Only the owner changes it,
	// under mu.
	inTurn bool

	mu      sync.Mutex
	work    sync.Cond // run waits: for a group, for the gate to open, for the end
	quiet   sync.Cond // others wait: a group was applied, acks were told
	open    *Group    // turns go in here; nil until start
	flight  *Group    // what is to be applied, or is being applied, or nil
	spare   *Group    // empty, or nil while there is a flight
	wanting bool      // run waits for the end of a turn
	waiting int       // acks not told yet
	closing bool
	failed  error
	average time.Duration // that a group takes, of the last few
	// applying is set from before a group is applied until its acks have been told,
	// delivering while they are told, without the mutex.
	applying, delivering bool
	// For a checkpoint: no turn is acknowledged before it is applied; no group is
	// applied; how many groups have been taken and applied.
	held, gated    bool
	taken, applied uint64
	// dead holds acks of turns after the failure, for the one who reports the failure.
	dead []storage.Ack

	Done chan struct{} // closed when run has ended
}

func New(env Log, strict bool) *Committer {
	c := &Committer{env: env, Strict: strict, Done: make(chan struct{})}
	c.work.L, c.quiet.L = &c.mu, &c.mu
	return c
}

// Start begins with nothing queued.
func (c *Committer) Start(maxQueued int) {
	c.maxQueued = maxQueued
	c.mu.Lock()
	c.open, c.spare = new(Group), new(Group)
	c.mu.Unlock()
	go c.run()
}

// Begin opens a turn with its first record, and returns the group that takes its operations. It
// is the owner's call.
func (c *Committer) Begin() *Group {
	if !c.inTurn {
		c.mu.Lock()
		c.inTurn = true
		c.mu.Unlock()
	}
	return c.open
}

// Commit ends a turn, and says whether its answers may leave at once: otherwise
// ack is told. With later set, run is not woken: the caller calls Push next. Only the
// owner calls it.
func (c *Committer) Commit(ack storage.Ack, later bool) bool {
	wrote := c.inTurn
	c.mu.Lock()
	defer c.mu.Unlock()
	c.inTurn = false
	if c.failed != nil {
		return c.refuse(ack)
	}
	if wrote {
		c.open.seal()
	}
	if c.atOnce(wrote) {
		if wrote {
			c.offer(later)
		}
		return true
	}
	c.waiting++
	if !wrote && c.open.empty() && c.flight != nil {
		// Everything that this turn can have seen is in flight.
		c.flight.acks = append(c.flight.acks, ack)
		return false
	}
	c.open.acks = append(c.open.acks, ack)
	c.offer(later)
	return false
}

// offer lets run know that the open group has something for it.
func (c *Committer) offer(later bool) {
	if c.wanting {
		c.wanting = false
		c.handOver()
	}
	if !later {
		c.rouse()
	}
}

// rouse wakes run, unless a group is being applied: whoever does that wakes it after.
func (c *Committer) rouse() {
	if !c.applying {
		c.wake()
	}
}

func (c *Committer) wake() {
	c.work.Signal()
	pace.Woke()
}

// atOnce says whether a turn's answers may leave now.
func (c *Committer) atOnce(wrote bool) bool {
	if !c.Strict && !c.held {
		// No ack may be overtaken.
		return c.waiting == 0 && len(c.open.Sealed) < c.maxQueued
	}
	return !wrote && c.waiting == 0 && c.flight == nil && c.open.empty()
}

// Push starts applying what was committed with later set. The caller's goroutine does
// it if here is set, no other goroutine applies, and the disk is fast; otherwise run does it.
func (c *Committer) Push(here bool) {
	c.mu.Lock()
	var g *Group
	if here && c.Strict && c.average < slowApply && c.failed == nil {
		g = c.next()
	}
	if g == nil {
		c.rouse()
	}
	c.mu.Unlock()
	if g != nil {
		c.carryOut(g)
	}
}

// run is the committer's goroutine. It ends when all is applied after close, or
// with the first failure.
func (c *Committer) run() {
	defer close(c.Done)
	for {
		c.mu.Lock()
		var g *Group
		for c.failed == nil {
			if g = c.next(); g != nil || c.closing && !c.applying {
				break
			}
			c.work.Wait()
		}
		c.mu.Unlock()
		if g == nil || !c.carryOut(g) {
			return
		}
	}
}

// next makes the caller the one who applies, and returns the group, if there is one
// and it may be applied now. Closing opens the gate: nothing is left behind.
func (c *Committer) next() *Group {
	if c.applying || c.gated && !c.closing {
		return nil
	}
	if c.flight == nil && !c.take() {
		return nil
	}
	c.applying = true
	return c.flight
}

// take makes the open group the flight, if no turn is under way. Otherwise the end of
// that turn does it: the next turn may follow at once, and run might never find the
// log between two turns.
func (c *Committer) take() bool {
	if c.wanting = c.inTurn; c.wanting || c.open.empty() {
		return false
	}
	c.handOver()
	return true
}

// handOver makes the open group the flight.
func (c *Committer) handOver() {
	g := c.open
	c.flight, c.open, c.spare = g, c.spare, nil
	c.taken++
}

// carryOut applies a group and tells its acks. It reports false when the log has
// failed: failing tells the acks then.
func (c *Committer) carryOut(g *Group) bool {
	began := time.Now()
	if err := c.env.Apply(g); err != nil {
		c.env.Broken(err)
		return false
	}
	took := time.Since(began)
	c.mu.Lock()
	c.pace(took)
	if c.failed != nil {
		c.mu.Unlock()
		return false
	}
	g.reset()
	c.flight, c.delivering = nil, true
	c.applied++
	c.quiet.Broadcast()
	c.mu.Unlock()
	for i, a := range g.acks {
		a.Committed(nil)
		g.acks[i] = nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.applying, c.delivering = false, false
	c.waiting -= len(g.acks)
	g.acks = g.acks[:0]
	c.spare = g
	if c.closing || !c.open.empty() {
		c.wake() // run may not be the caller
	}
	c.quiet.Broadcast()
	return true
}

// Queued calls fn, under the mutex, with the record of a job in the complete turns that wait; nil
// if it is in none.
func (c *Committer) Queued(id uint64, fn func(value []byte)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var value []byte
	for _, g := range []*Group{c.flight, c.open} {
		if g != nil && value == nil {
			value = g.record(id)
		}
	}
	fn(value)
}

// slowApply is from which average a caller of Push leaves groups to run: to wait that long is worse for it,
// as it has others to serve, than what the changes of goroutine cost.
const slowApply = time.Millisecond

// pace notes how long a group took. One that took long counts for no more than four times slowApply, so
// a single one does not turn callers away for long.
func (c *Committer) pace(took time.Duration) {
	c.average += (min(took, 4*slowApply) - c.average) / 4
}

// Close has run end after everything that was committed.
func (c *Committer) Close() (started bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closing = true
	c.work.Broadcast()
	c.quiet.Broadcast()
	return c.open != nil
}
