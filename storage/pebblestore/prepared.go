package pebblestore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"beanfield/storage"
	"beanfield/storage/fold"
	"beanfield/storage/pebblestore/database"
	"beanfield/storage/pebblestore/format"
	"beanfield/storage/turns"

	"github.com/cockroachdb/pebble/v2"
)

// changes are the jobs and queues of a shard that records have changed, while somebody wants to know.
type changes struct {
	mu     sync.Mutex
	wanted bool
	jobs   map[uint64]struct{}
	queues map[string]*storage.Queue // as they are now; nil for one of which nothing is kept any more
	more   bool                      // too many have changed, or something that cannot be read
}

// mostChanges is how many jobs are remembered. To read so many one by one takes longer than to
// replay a store.
const mostChanges = 1 << 18

// note remembers what turns change.
func (c *changes) note(b []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.wanted || c.more {
		return nil
	}
	for len(b) > 0 {
		op, n, err := turns.NextOp(b)
		if err != nil {
			return fmt.Errorf("%w: %w", storage.ErrCorrupt, err)
		}
		switch b = b[n:]; op.Kind {
		case turns.Put, turns.Update, turns.Delete:
			c.jobs[op.ID] = struct{}{}
		case turns.DropQueue:
			c.queues[string(op.Name)] = nil
		case turns.SetQueue:
			q, err := format.DecodeQueue(format.QueueKey(string(op.Name)), bytes.Clone(op.Value))
			c.queues[string(op.Name)], c.more = q, c.more || err != nil
		}
	}
	c.more = c.more || len(c.jobs)+len(c.queues) > mostChanges
	return nil
}

// begin and end say whether anybody wants to know.
func (c *changes) begin() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wanted, c.more, c.jobs, c.queues = true, false, map[uint64]struct{}{}, map[string]*storage.Queue{}
}

func (c *changes) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wanted, c.jobs, c.queues = false, nil, nil
}

// take gives what has been noted.
func (c *changes) take() (ids []uint64, queues map[string]*storage.Queue, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	ids = slices.Collect(maps.Keys(c.jobs))
	clear(c.jobs)
	if queues = c.queues; len(queues) > 0 {
		c.queues = map[string]*storage.Queue{}
	}
	return ids, queues, c.wanted && !c.more
}

// Prepared is the store of a router that is made ready while another node owns the shards.
type Prepared struct {
	serving
	gates []gate
	own   []*owned
}

// Prepare is a store for a router that is made ready. There is one at a time, and none beside Serve.
func (r *Replicas) Prepare() *Prepared {
	return &Prepared{serving: serving{store: r.store}, gates: r.gates}
}

// Open implements storage.Store. The logs may be replayed, and nothing else before Settled.
func (p *Prepared) Open(n int, _ func(tube string) int) ([]storage.Log, error) {
	if n != len(p.logs) {
		return nil, fmt.Errorf("storage: the cluster has %d shards, not %d", len(p.logs), n)
	}
	logs := make([]storage.Log, n)
	for i, l := range p.logs {
		l.copied.changes.begin()
		o := l.serve(nil)
		p.own = append(p.own, o)
		logs[i] = &preparing{owned: o, gate: &p.gates[i]}
	}
	return logs, nil
}

// Own says who appends what the router changes, from Settled on.
func (p *Prepared) Own(up func(shard int) Upstream) { p.up = up }

// Settled implements storage.Moving.
func (p *Prepared) Settled() error {
	for i, o := range p.own {
		if o.shardLog != p.logs[i] {
			return errClosed
		}
		o.copied.changes.end()
		o.opened, o.up = o.window.Highest(), p.up(i)
	}
	return nil
}

// Close implements storage.Store.
func (p *Prepared) Close() error {
	logs := make([]*shardLog, len(p.own))
	for i, o := range p.own { // a checkpoint may have taken the place of one
		o.copied.changes.end()
		logs[i] = o.shardLog
	}
	return endServing(logs)
}

// preparing is the log of a shard that may be replayed while it changes.
type preparing struct {
	*owned
	gate  *gate
	leave func()
}

// ReplayQueues implements storage.Log. From here to the end of Replay the store stays as it is: its
// fold waits.
func (p *preparing) ReplayQueues(fn func(q *storage.Queue) error) error {
	if p.up != nil {
		return p.owned.ReplayQueues(fn)
	}
	_, leave, ok := p.gate.enter(context.Background())
	if !ok {
		return errClosed
	}
	if p.store.logs[p.shard] != p.shardLog {
		leave()
		return errClosed
	}
	p.folding.Lock()
	p.leave = func() {
		p.folding.Unlock()
		leave()
	}
	n, err := p.newestOf(p.absorbed.Load())
	if err == nil {
		err = format.EachQueue(n, fn)
	}
	if err != nil {
		p.leave()
	}
	return p.replayed(err)
}

// Replay implements storage.Log.
func (p *preparing) Replay(fn func(j *storage.Job, body []byte) error) error {
	if p.up != nil {
		return p.owned.Replay(fn)
	}
	defer p.leave()
	p.live.Store(0)
	err := relayed(func(to *relay) error {
		return format.InReplayOrder(p.newest, func(s *format.Scan) error {
			p.live.Add(format.DiskSize(&s.Job))
			return nil
		}, func(s *format.Scan) error { return p.give(s, to) })
	}, fn)
	err = errors.Join(err, p.newest.Close())
	p.newest = nil
	return p.replayed(err)
}

// Amend implements storage.Moving.
func (p *Prepared) Amend(shard int, queue func(tube string, q *storage.Queue) bool, fn func(id uint64, j *storage.Job,
	body []byte)) (ok bool, err error) {
	_, leave, ok := p.gates[shard].enter(context.Background())
	if !ok {
		return false, nil
	}
	defer leave()
	l := p.own[shard].shardLog
	if l != p.logs[shard] {
		return false, nil
	}
	ids, queues, ok := l.copied.changes.take()
	for tube, q := range queues {
		ok = ok && queue(tube, q)
	}
	if !ok {
		return false, nil
	}
	if l.window.Pieces() { // large bodies are read from the store only
		if err := l.foldAll(); err != nil {
			return false, err
		}
	}
	var buried []format.Ranked
	for _, id := range ids {
		err := l.newestJob(id, func(j *storage.Job, body []byte) {
			if j != nil && j.State == storage.Buried {
				buried = append(buried, format.Ranked{Rank: j.BuryRank, ID: id})
			} else {
				fn(id, j, body)
			}
		})
		if err != nil {
			return false, err
		}
	}
	slices.SortFunc(buried, format.Ranked.Compare)
	for _, b := range buried {
		if err := l.newestJob(b.ID, func(j *storage.Job, body []byte) { fn(b.ID, j, body) }); err != nil {
			return false, err
		}
	}
	return true, nil
}

// newestJob calls fn with the newest state of a job.
func (l *shardLog) newestJob(id uint64, fn func(j *storage.Job, body []byte)) error {
	l.folding.Lock()
	defer l.folding.Unlock()
	record, update, ended := l.window.Job(id)
	key := format.Key(format.KeyRecord, id)
	var value []byte
	var err error
	if !ended {
		value, err = l.newestValue(record, key[:])
	}
	if value == nil || err != nil {
		l.keys.lost(id)
		fn(nil, nil)
		return err
	}
	var j storage.Job
	c, err := format.DecodeRecord(key[:], value, &j)
	if err != nil {
		return fmt.Errorf("job %d: %w", id, err)
	}
	j.Tube = string(c.Tube)
	format.PutKey(key[:], format.KeyUpdate, id)
	if value, err = l.newestValue(update, key[:]); err != nil {
		return err
	}
	if value != nil {
		tube, err := format.DecodeUpdate(key[:], value, &j)
		if err != nil {
			return fmt.Errorf("update of job %d: %w", id, err)
		}
		if tube != nil {
			j.Tube = string(tube)
		}
	}
	body := c.Body
	if c.Apart {
		body, err = format.ReadPieces(l.db, &j, c.Sum, nil)
	}
	if err == nil {
		j.ID = storage.IDOf(j.ID)
		l.keys.has(&j)
		fn(&j, body)
	}
	return err
}

// newestValue reads a value from the log or from the store; nil if there is none.
func (l *shardLog) newestValue(v fold.Value, key []byte) ([]byte, error) {
	if v.Known {
		b := make([]byte, v.N)
		if err := l.turns.ReadAt(v.At, b); err != nil {
			return nil, err
		}
		op, _, err := turns.NextOp(b)
		return op.Value, err
	}
	value, closer, err := l.db.Get(key)
	if errors.Is(err, pebble.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, database.Explain(err)
	}
	return bytes.Clone(value), closer.Close()
}

var _ storage.Moving = (*Prepared)(nil)
