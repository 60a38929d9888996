package router

import (
	"context"
	"fmt"
	"sync/atomic"

	"beanfield/shard"
	"beanfield/shard/queue"
	"beanfield/storage"
)

// bed is a router whose shards do nothing until the test makes them: a batch
// lies in a mailbox until step applies it. So a test decides about every
// interleaving, in one goroutine, while sessions and states are the real ones.
type bed struct {
	r      *Router
	shards []*stepped
	waits  atomic.Int64    // of all its sessions, as their gates count them
	wide   int             // as in queue.Config
	alive  map[uint64]bool // jobs that players know to be put, and not to be deleted
}

// stepped takes the place of a shard.Shard.
type stepped struct {
	state *queue.State
	now   func() int64
	// inPlace says whether a batch that meets an empty mailbox is applied at
	// once, as by a caller that finds the shard idle.
	inPlace func() bool
	// late keeps the answers of a turn back until answer is called, as a log
	// does that has to be synced first.
	late    bool
	ran     func(*queue.Batch) // hears of each batch in place; may be nil
	mail    []*queue.Batch
	answers []*queue.Batch
	woken   []queue.Awakening
	called  []queue.Getter
	batches []*queue.DeliveryBatch
	scratch queue.Batch
}

func always() bool { return true }
func never() bool  { return false }

func newBed(shards int) *bed { return newBedOf(shards, queue.Config{}) }

// newBedOf makes its queues as c says.
func newBedOf(shards int, c queue.Config) *bed {
	d := &bed{wide: c.Many, alive: map[uint64]bool{}}
	r, err := newRouter(Options{Shards: shards, Store: storage.Memory(), PolicyFor: c.PolicyFor}, c,
		func(s *queue.State, now func() int64) runner {
			p := &stepped{state: s, now: now, inPlace: always}
			d.shards = append(d.shards, p)
			return p
		})
	if err != nil {
		panic(err)
	}
	d.r = r
	return d
}

// set chooses how all shards work from now on.
func (d *bed) set(inPlace func() bool, late bool) {
	for _, p := range d.shards {
		p.inPlace, p.late = inPlace, late
	}
}

// tube names the k-th tube that lives on a shard.
func (d *bed) tube(i, k int) string {
	for n := 0; ; n++ {
		name := fmt.Sprintf("tube-%d", n)
		if d.r.TubeShard([]byte(name)) != i {
			continue
		}
		if k == 0 {
			return name
		}
		k--
	}
}

func (p *stepped) Close() {}

func (p *stepped) Busy() bool { return len(p.mail) > 0 }

func (p *stepped) Alive() bool { return true }

func (p *stepped) Look(_ context.Context, fn func(*queue.State, *shard.Figures)) bool {
	fn(p.state, &shard.Figures{Figures: p.state.Figures()})
	return true
}

func (p *stepped) Submit(b *queue.Batch) bool {
	if len(p.mail) > 0 || !p.inPlace() {
		p.post(b)
		return false
	}
	done := p.apply(b)
	if !done {
		p.post(b)
	}
	p.endTurn()
	if done && p.ran != nil {
		p.ran(b)
	}
	return done
}

func (p *stepped) post(b *queue.Batch) {
	b.Retain()
	p.mail = append(p.mail, b)
}

// step applies the oldest batch of the mailbox, as one turn.
func (p *stepped) step() {
	b := p.mail[0]
	p.mail = p.mail[1:]
	if p.apply(b) {
		p.answers = append(p.answers, b)
	} else {
		p.mail = append(p.mail, b)
	}
	p.endTurn()
}

// apply is what shard.Shard does with a batch.
func (p *stepped) apply(b *queue.Batch) bool { return p.state.Run(p.now(), b) }

func (p *stepped) due() bool {
	next := p.state.Next()
	return next != 0 && next <= p.now()
}

// endTurn does what is due, and answers if the log need not be waited for.
func (p *stepped) endTurn() {
	for p.state.Tick(p.now()) {
	}
	p.woken = append(p.woken, p.state.Woken...)
	p.state.Woken = p.state.Woken[:0]
	p.called = append(p.called, p.state.Called...)
	p.state.Called = p.state.Called[:0]
	p.batches = p.state.TakeDeliveries(p.batches)
	if !p.late {
		p.answer()
	}
}

func (p *stepped) unanswered() bool {
	return len(p.answers)+len(p.woken)+len(p.called)+len(p.batches) > 0
}

func (p *stepped) answer() {
	answers, woken, called, batches := p.answers, p.woken, p.called, p.batches
	p.answers, p.woken, p.called, p.batches = nil, nil, nil, nil
	for _, b := range answers {
		b.Done.Complete(b)
	}
	for _, w := range woken {
		w.Waiter.Wake(true, nil)
	}
	for _, g := range called {
		g.TryAgain()
	}
	for _, q := range batches {
		q.To().Receive(q, true)
	}
}

// ask applies one operation in the name of nobody, outside of all batches.
func (p *stepped) ask(op queue.Op) (queue.Op, *queue.Batch) {
	b := &queue.Batch{Ops: []queue.Op{op}}
	p.state.Apply(p.now(), b, &b.Ops[0])
	return b.Ops[0], b
}

// query runs one operation of the queue service in the name of nobody, in as many steps
// as it needs.
func (p *stepped) query(a *queue.Ask, id uint64) queue.Status {
	b := &queue.Batch{Ops: []queue.Op{{Kind: queue.Service, ID: id, Ask: a}}}
	for !p.state.Run(p.now(), b) {
	}
	return b.Ops[0].Status
}

// job finds a job in this shard.
func (p *stepped) job(id uint64) (queue.JobInfo, bool) {
	b := &p.scratch
	b.Reset()
	b.Ops = append(b.Ops, queue.Op{Kind: queue.StatsJob, ID: id})
	p.state.Apply(p.now(), b, &b.Ops[0])
	if b.Ops[0].Status != queue.OK {
		return queue.JobInfo{}, false
	}
	return b.Jobs[b.Ops[0].From], true
}

func (p *stepped) sums() queue.Sums {
	_, b := p.ask(queue.Op{Kind: queue.Totals})
	return b.Sums
}

// stats describes a tube, if it exists.
func (d *bed) stats(tube string) (queue.TubeInfo, bool) {
	op, b := d.shards[d.r.TubeShard([]byte(tube))].ask(queue.Op{Kind: queue.StatsTube, Data: []byte(tube)})
	if op.Status != queue.OK {
		return queue.TubeInfo{}, false
	}
	return b.Tubes[op.From], true
}

// jobs counts the jobs of all shards.
func (d *bed) jobs() (all, reserved int) {
	for _, p := range d.shards {
		s := p.sums()
		all += s.Ready + s.Delayed + s.Buried + s.Reserved
		reserved += s.Reserved
	}
	return all, reserved
}

// agree checks R2 for one id: the directory and the shards tell the same.
// pending says that a put with this id may still be under way.
func (d *bed) agree(id uint64, pending bool) error {
	owner, known := d.r.ids.find(id)
	for i, p := range d.shards {
		_, there := p.job(id)
		if there && (!known || owner != i) {
			return fmt.Errorf("R2: job %d is in shard %d, the directory says %d, %v", id, i, owner, known)
		}
		if !there && known && owner == i && !pending {
			return fmt.Errorf("R2: the directory sees job %d in shard %d, but it is not there", id, i)
		}
	}
	return nil
}

// holds asks a job's shard whether the player is its holder.
func (d *bed) holds(p *player, id uint64) bool {
	i, ok := d.r.Owner(id)
	if !ok || p.refs[i] == nil {
		return false
	}
	b := &queue.Batch{Client: &p.refs[i].client, Ops: []queue.Op{{Kind: queue.Touch, ID: id}}}
	d.shards[i].state.Apply(d.r.Now(), b, &b.Ops[0])
	return b.Ops[0].Status == queue.OK
}
