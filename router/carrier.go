package router

import (
	"errors"
	"slices"
	"sync"
	"time"

	"beanfield/shard/queue"
	"beanfield/storage"
)

// roundJobs is how many jobs a carrier takes in a round. Each shard has them as one batch, which it runs in
// shares.
const roundJobs = 128

// carrier takes jobs from one shard to others (shard/queue/leaving.go). It has a goroutine while there are
// any, and is a client like any other: its batches wait in mailboxes, and are bounded.
type carrier struct {
	mu      sync.Mutex
	trips   map[*trip]struct{} // of sessions that wait for moves from the shard
	rung    bool               // since the goroutine has last looked
	running bool
	ready   bool // all shards run
	closed  bool
	again   *time.Timer // rings once more for jobs that were not taken
	ended   sync.WaitGroup
}

// tryAgain is how long jobs wait that must go, and that their shard does not take because the disk has no room.
const tryAgain = time.Second

// ring says that there are jobs to take. Any goroutine may call it; it does not wait.
func (c *carrier) ring(r *Router, from int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return
	}
	if c.rung = true; c.ready && !c.running {
		c.running = true
		c.ended.Go(func() { c.run(r, from) })
	}
}

// begin has the carrier begin: all shards run.
func (c *carrier) begin(r *Router, from int) {
	c.mu.Lock()
	c.ready = true
	rung := c.rung
	c.mu.Unlock()
	if rung {
		c.ring(r, from)
	}
}

// close ends the carrier. What it has begun goes on after the next start.
func (c *carrier) close() {
	c.mu.Lock()
	c.closed = true
	if c.again != nil {
		c.again.Stop()
	}
	c.mu.Unlock()
	c.ended.Wait()
}

// more says whether to go on: the goroutine ends when it says no.
func (c *carrier) more() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running = c.rung && !c.closed
	c.rung = false
	return c.running
}

// rested has the carrier ring again later.
func (c *carrier) rested(r *Router, from int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		c.again = time.AfterFunc(tryAgain, func() { c.ring(r, from) })
	}
}

func (c *carrier) run(r *Router, from int) {
	t := transport{r: r, from: from}
	t.caller.Enter(r)
	for c.more() {
		for t.round() {
			if c.stopped() {
				break
			}
		}
		if t.failed {
			t.failed = false
			c.fail()
		}
		if t.refused {
			t.refused = false
			c.rested(r, from)
		}
	}
}

// expect, forget and fail keep account of the trips of sessions.
func (c *carrier) expect(t *trip) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.trips == nil {
		c.trips = map[*trip]struct{}{}
	}
	c.trips[t] = struct{}{}
}

func (c *carrier) forget(t *trip) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.trips, t)
}

func (c *carrier) fail() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for t := range c.trips {
		t.fails()
	}
}

func (c *carrier) stopped() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closed
}

// transport is what a carrier's goroutine has.
type transport struct {
	r       *Router
	from    int
	caller  Caller
	batch   queue.Batch
	parcels []queue.Parcel
	refused bool // jobs were brought back that must go later
	failed  bool // a log has
}

// submit runs operations on a shard, and reports whether its log has them: all have ended then.
func (t *transport) submit(shard int, ops []queue.Op, parcels []queue.Parcel) bool {
	b := &t.batch
	b.Reset()
	b.Ops = append(b.Ops, ops...)
	b.Parcels = append(b.Parcels, parcels...)
	for b.Next < len(b.Ops) {
		t.caller.Finish(t.caller.Submit(shard, b, false))
	}
	return !slices.ContainsFunc(b.Ops, func(op queue.Op) bool { return op.Status == queue.Failed })
}

// round takes some jobs to their shards, and reports whether there may be more.
func (t *transport) round() bool {
	if t.failed = !t.submit(t.from, []queue.Op{{Kind: queue.Load, Limit: roundJobs}}, nil); t.failed || t.batch.Ops[0].Count == 0 {
		return false
	}
	t.parcels = append(t.parcels[:0], t.batch.Parcels...)
	slices.SortStableFunc(t.parcels, func(a, b queue.Parcel) int { return t.shardOf(&a) - t.shardOf(&b) })
	refused := t.refused
	for rest := t.parcels; len(rest) > 0; {
		n := 1
		for n < len(rest) && t.shardOf(&rest[n]) == t.shardOf(&rest[0]) {
			n++
		}
		if !t.take(t.shardOf(&rest[0]), rest[:n]) {
			t.failed = true
			return false // the rest stays where it is, for the next start
		}
		rest = rest[n:]
	}
	clear(t.parcels)
	return refused || !t.refused
}

func (t *transport) shardOf(p *queue.Parcel) int { return t.r.TubeShard([]byte(p.Job.Tube)) }

// take takes jobs to one shard. It reports false if a log has failed.
func (t *transport) take(to int, parcels []queue.Parcel) bool {
	lost, ok := t.fetch(parcels)
	if !ok {
		return false
	}
	var arrive, depart, show []queue.Op
	for i := range parcels {
		if !lost[i] {
			arrive = append(arrive, queue.Op{Kind: queue.Arrive, From: uint32(i)})
		}
	}
	if !t.submit(to, arrive, parcels) || !t.secure(to) {
		return false
	}
	arrived := make([]bool, len(parcels))
	for _, op := range t.batch.Ops {
		p := &parcels[op.From]
		if arrived[op.From] = op.Status == queue.OK; arrived[op.From] {
			depart = append(depart, queue.Op{Kind: queue.Depart, ID: p.Source})
			show = append(show, queue.Op{Kind: queue.Show, ID: p.Job.Key()})
			continue
		}
		depart = append(depart, queue.Op{Kind: queue.ComeHome, ID: p.Source, Count: op.Count})
		t.refused = t.refused || p.Cause == queue.ForAge && op.Count == 0
	}
	for i := range parcels {
		if lost[i] {
			depart = append(depart, queue.Op{Kind: queue.ComeHome, ID: parcels[i].Source, Poll: true})
		}
	}
	if !t.submit(t.from, depart, nil) || !t.secure(t.from) {
		return false
	}
	for _, op := range show {
		t.r.ids.hand(storage.IDOf(op.ID), to)
	}
	if !t.submit(to, show, nil) {
		return false
	}
	for i := range parcels {
		if trip, ok := parcels[i].Trip.(*trip); ok {
			trip.ends(arrived[i])
		}
	}
	return true
}

// fetch reads the bodies that are in the log only. lost are jobs whose bodies cannot be read.
func (t *transport) fetch(parcels []queue.Parcel) (lost []bool, ok bool) {
	lost = make([]bool, len(parcels))
	for i := range parcels {
		p := &parcels[i]
		if !p.Away {
			continue
		}
		body, err := t.r.logs[t.from].Body(p.Job.ID, make([]byte, 0, p.Job.Size))
		switch {
		case err == nil:
			p.Body = [][]byte{body}
		case errors.Is(err, storage.ErrUnreadable), errors.Is(err, storage.ErrNoBody):
			lost[i] = true
		default:
			return nil, false
		}
	}
	return lost, true
}

// secure waits until what a shard has committed outlives whatever it can.
func (t *transport) secure(shard int) bool {
	if l, ok := t.r.logs[shard].(storage.Securer); ok {
		return l.Secure() == nil
	}
	return true
}
