package mover

import (
	"sync"
	"time"

	"beanfield/shard/queue"
	"beanfield/storage/pace"
)

// Shards is what a Mover needs of the router.
type Shards interface {
	// Apply applies a batch in a shard, and returns when it has been answered.
	Apply(shard int, b *queue.Batch)
	// TubeShard tells which shard a tube belongs to.
	TubeShard(tube []byte) int
	// Hand has the directory name another shard for a job.
	Hand(id uint64, shard int)
	// Body reads a body that only the log of a shard has.
	Body(shard int, id uint64, dst []byte) ([]byte, error)
	// Secure waits until what a shard has committed outlives whatever it can.
	Secure(shard int) error
}

// Mover takes jobs from one shard to others. It has a goroutine while there are any.
type Mover struct {
	shards Shards
	from   int

	mu      sync.Mutex
	trips   map[*Trip]struct{} // of sessions that wait for jobs from the shard
	rung    bool               // since the goroutine has last looked
	running bool
	ready   bool // all shards run
	closed  bool
	again   *time.Timer // rings once more for jobs that were not taken
	ended   sync.WaitGroup
}

// tryAgain is how long jobs wait that must go, and that their shard does not take because the disk has no room.
const tryAgain = time.Second

// New makes a shard's mover.
func New(shards Shards, from int) *Mover {
	return &Mover{shards: shards, from: from, trips: map[*Trip]struct{}{}}
}

// Ring says that there are jobs to take. Any goroutine may call it; it does not wait.
func (m *Mover) Ring() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.rung = true
	m.start()
}

// Begin says that all shards run.
func (m *Mover) Begin() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ready = true
	m.start()
}

// start has the goroutine begin if there is something to do. mu is held.
func (m *Mover) start() {
	if m.rung && m.ready && !m.running && !m.closed {
		m.running = true
		m.ended.Go(m.run)
		pace.Woke()
	}
}

// Close ends the mover. What it has begun goes on after the next start.
func (m *Mover) Close() {
	m.mu.Lock()
	m.closed = true
	if m.again != nil {
		m.again.Stop()
	}
	m.mu.Unlock()
	m.Rest()
}

// Rest waits until there is nothing to take for now.
func (m *Mover) Rest() { m.ended.Wait() }

// TriesAgain says that the mover has had to leave jobs where they are, to be taken later.
func (m *Mover) TriesAgain() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.again != nil
}

// Expect and Forget keep account of the trips of sessions.
func (m *Mover) Expect(t *Trip) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.trips[t] = struct{}{}
}

func (m *Mover) Forget(t *Trip) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.trips, t)
}

// run is the goroutine.
func (m *Mover) run() {
	t := transport{shards: m.shards, from: m.from}
	for m.more() {
		for t.round() && !m.stopped() {
		}
		m.note(t.failed, t.refused)
		t.failed, t.refused = false, false
	}
}

// more says whether to go on: the goroutine ends when it says no.
func (m *Mover) more() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.running = m.rung && !m.closed
	m.rung = false
	return m.running
}

func (m *Mover) stopped() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.closed
}

// note tells sessions that a log has failed, and has the mover ring again later for jobs that were refused.
func (m *Mover) note(failed, refused bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for t := range m.trips {
		if failed {
			t.fails()
		}
	}
	if refused && !m.closed {
		m.again = time.AfterFunc(tryAgain, m.Ring)
	}
}
