package router

import (
	"sync"

	"beanfield/shard/queue"
	"beanfield/storage/pace"
)

// asker waits for the answer of a batch that needs no session. An operation of the queue service, for one, names its
// queue and its consumer: any goroutine may ask, and one consumer's operations may come over many connections.
type asker struct {
	batch queue.Batch
	done  chan struct{} // has room for the one answer
}

var askers = sync.Pool{New: func() any { return &asker{done: make(chan struct{}, 1)} }}

// Complete is how the shard says that the batch has been answered.
func (a *asker) Complete(*queue.Batch) {
	a.done <- struct{}{}
	pace.Woke()
}

// apply applies a batch in a shard.
func (a *asker) apply(sh runner, b *queue.Batch) {
	b.Done = a
	for b.Next < len(b.Ops) { // the batch may come back unfinished, to be submitted again
		if !sh.Submit(b) {
			<-a.done
		}
	}
}

// Ask applies an operation of the queue service in the shard of its queue, and returns
// when it has been answered. If the operation changed anything, or saw what another one
// changed, the log has that by then. Ask does not wait for items; a get that finds none
// says so.
func (r *Router) Ask(op *queue.Op) { r.applyOne(r.TubeShard([]byte(op.Ask.Queue)), op) }

// AskAll is Ask for operations of one queue, which are applied in their order. If they are
// few, they are one group in the log.
func (r *Router) AskAll(ops []queue.Op) { r.applyAll(r.TubeShard([]byte(ops[0].Ask.Queue)), ops) }

func (r *Router) applyOne(shard int, op *queue.Op) {
	ops := [1]queue.Op{*op}
	r.applyAll(shard, ops[:])
	*op = ops[0]
}

// applyAll applies operations that need no session in a shard, and waits.
func (r *Router) applyAll(shard int, ops []queue.Op) {
	a := askers.Get().(*asker)
	a.batch.Reset()
	a.batch.Ops = append(a.batch.Ops, ops...)
	a.apply(r.shards[shard], &a.batch)
	copy(ops, a.batch.Ops)
	a.batch.Reset() // the pool must not keep a body alive
	askers.Put(a)
}

// Tick applies an operation for a schedule, PutTick or NoteTick, in the shard of its tube. It returns
// when the log has what the operation has changed.
func (r *Router) Tick(op *queue.Op) { r.applyOne(r.TubeShard([]byte(op.Tube)), op) }

// Ticks calls fn with the last tick of each schedule, wherever one is noted.
func (r *Router) Ticks(fn func(tube string, t queue.Tick)) {
	r.everywhere(func(s *queue.State) { s.Ticks(fn) })
}
