package shard

import (
	"bytes"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"beanfield/shard/queue"
	"beanfield/shard/stack"
	"beanfield/storage"
	"beanfield/storage/pace"
)

// linkOf is the link by which a batch waits in a mailbox.
func linkOf(b *queue.Batch) **queue.Batch { return &b.Link }

// turnBatches is how many batches of others a caller runs at most when it has taken
// the shard for a batch of its own. The shard's goroutine runs the rest.
const turnBatches = 32

// Shard runs a queue. To have a batch applied, a goroutine calls Submit: if the
// shard is idle the caller takes it, with one compare-and-swap, and runs the batch
// in place; otherwise the batch waits in the mailbox for the goroutine that has
// taken the shard. The shard's own goroutine serves deadlines and long mailboxes.
//
// Ownership: the fields below "owned" are touched only between a successful take
// and the matching giveBack (S2). Any goroutine may read those below "never
// changes".
type Shard struct {
	busy  atomic.Bool       // somebody runs the shard
	alarm atomic.Bool       // a deadline has come while somebody ran it
	pulse Pulse             // beats with each turn
	looks stack.Stack[look] // to be served by whoever has taken the shard
	tally *tallies          // owned; here because there is room
	armed int64             // likewise: when the timer will fire at the latest; MaxInt64 if unset
	later bool              // likewise: who has taken the shard pushes the log afterwards
	_     [23]byte          // every submitter writes busy; keep them off the mailbox's line
	mail  stack.Stack[queue.Batch]
	_     [56]byte // and off what the owner works with

	// never changes
	now    func() int64
	dir    queue.Directory
	log    storage.Log
	pusher storage.Pusher // the log, if it is one
	handed chan struct{}  // ownership passes to the goroutine
	quit   chan struct{}
	ended  sync.WaitGroup
	timer  *time.Timer
	turns  chan *turn // answered, to be used again

	// owned
	state *queue.State
	due   int64 // when the queue has something to do by itself; MaxInt64 for never
	turn  *turn // being filled

	// Shards are made one after the other, and none shares a cache line with the
	// next: its fields fill whole lines.
}

// New makes a shard around a state and starts its goroutine. now is the
// monotonic clock, in nanoseconds, never 0 or less.
func New(s *queue.State, now func() int64) *Shard {
	pusher, _ := s.Log.(storage.Pusher)
	sh := &Shard{
		now: now, dir: s.Directory, log: s.Log, pusher: pusher, handed: make(chan struct{}, 1),
		quit:  make(chan struct{}),
		state: s, armed: math.MaxInt64, timer: time.NewTimer(time.Hour), turns: make(chan *turn, 8),
	}
	sh.turn, sh.tally = &turn{shard: sh}, &tallies{left: 1}
	sh.timer.Stop()
	if sh.findDue(); sh.due < sh.armed { // a log may have brought delayed jobs back
		sh.armed = sh.due
		sh.timer.Reset(time.Duration(max(0, sh.due-now())))
	}
	sh.ended.Add(1)
	go sh.serve()
	return sh
}

// Close ends the shard's goroutine, and waits for those that read bodies: one
// may still do so for a waiter that has left. Submit must not be called any more.
//
// Nobody begins to read a body afterwards, so the log may be closed. A body is read for a client, when the turn that
// it was given a job in has been committed. Before Close each client has left, by an operation of a later turn, and the
// log has committed that: it acknowledges turns in their order (storage.Ack), so all reads have begun by then.
func (sh *Shard) Close() {
	close(sh.quit)
	sh.ended.Wait()
	sh.timer.Stop()
}

// Busy says whether a goroutine runs the shard, or its own is about to.
func (sh *Shard) Busy() bool { return sh.busy.Load() }

// Alive says whether the shard has been idle, or has ended a turn since the last call.
func (sh *Shard) Alive() bool { return sh.pulse.Alive(sh.busy.Load()) }

// findDue notes when the queue has something to do by itself.
func (sh *Shard) findDue() {
	if sh.due = sh.state.Next(); sh.due == 0 {
		sh.due = math.MaxInt64
	}
}

// take makes the caller the owner of the shard, if it has none (S2).
func (sh *Shard) take() bool { return sh.busy.CompareAndSwap(false, true) }

// Submit applies the batch. It reports true when the batch is complete;
// otherwise b.Done will be told, from another goroutine or from this one before Submit
// returns.
func (sh *Shard) Submit(b *queue.Batch) bool {
	if sh.take() {
		sh.later = b.Later
		done := sh.runInPlace(b)
		sh.giveBack()
		return done
	}
	b.Retain()
	later := b.Later // b may be answered, and used again, once it is in the mailbox
	sh.mail.Push(b, &b.Link)
	// The owner may have looked into the mailbox before the push and given
	// the shard back since: then it is free, and taking it is our duty.
	if sh.take() {
		sh.later = later
		sh.drain(turnBatches)
		sh.giveBack()
	}
	return false
}

// runInPlace applies the caller's own batch, after those that came before it.
func (sh *Shard) runInPlace(b *queue.Batch) bool {
	if !sh.mail.Empty() {
		b.Retain()
		sh.mail.Push(b, &b.Link)
		sh.drain(turnBatches)
		return false
	}
	now, first := sh.now(), b.Next
	if now >= sh.due {
		sh.state.Tick(now) // what was due before the batch came
	}
	if b.Began == 0 {
		b.Began = now
	}
	finished := sh.state.Run(now, b)
	ops := b.Next - first
	if !finished {
		sh.postpone(b)
		sh.endTurn(now)
	} else {
		finished = sh.endTurnFor(now, b)
	}
	sh.tally.count(sh, now, ops)
	return finished
}

// postpone keeps a batch that is to be run again: when this turn is committed, or
// when the log has the body of a put.
func (sh *Shard) postpone(b *queue.Batch) {
	op := &b.Ops[b.Next]
	if op.Status != queue.Staging {
		b.Retain()
		sh.turn.unfinished = append(sh.turn.unfinished, b)
		return
	}
	if op.Parts == nil {
		op.Parts, op.Data = [][]byte{bytes.Clone(op.Data)}, nil // the log keeps it
	}
	b.Retain()
	sh.log.Stage(op.ID, op.Parts, &stage{sh, b})
}

// proceed gives a batch that was postponed to the shard's goroutine. Any goroutine
// may call it.
func (sh *Shard) proceed(b *queue.Batch) {
	sh.mail.Push(b, &b.Link)
	if sh.take() {
		sh.hand()
	}
}

// hand gives the shard to its goroutine.
func (sh *Shard) hand() {
	sh.handed <- struct{}{} // has room: only an owner sends, and once
	pace.Woke()
}

// drain applies the mailbox, turn by turn, for about max batches.
func (sh *Shard) drain(max int) {
	for n := 0; n < max; {
		sh.alarm.Store(false)
		b := sh.mail.TakeInOrder(linkOf)
		now, ops := sh.now(), 0
		if now >= sh.due && b != nil {
			sh.state.Tick(now) // what was due before these came
		}
		for b != nil {
			next := b.Link
			b.Link = nil
			first := b.Next
			if b.Began == 0 {
				b.Began = now
			}
			finished := sh.state.Run(now, b)
			ops += b.Next - first
			if finished {
				sh.turn.batches = append(sh.turn.batches, b)
			} else {
				sh.postpone(b)
				n = max // the turn is full; others than this shard want the processor too
			}
			b = next
			n++
		}
		sh.endTurn(now)
		sh.tally.count(sh, now, ops)
		if sh.mail.Empty() {
			return
		}
	}
}

// giveBack ends the caller's ownership. Work that is left goes to the shard's
// goroutine, so that no connection works for others for long.
func (sh *Shard) giveBack() {
	for {
		if !sh.looks.Empty() {
			sh.serveLooks()
		}
		if !sh.mail.Empty() || sh.alarm.Load() {
			sh.hand()
			return
		}
		if sh.due < sh.armed {
			sh.armed = sh.due
			sh.timer.Reset(time.Duration(max(0, sh.due-sh.now())))
		}
		sh.busy.Store(false)
		// A caller that came before this store has left a batch, an alarm or a look; one
		// that comes after it can take the shard.
		if sh.mail.Empty() && !sh.alarm.Load() && sh.looks.Empty() {
			return
		}
		if !sh.take() {
			return
		}
	}
}

// serve is the shard's goroutine.
func (sh *Shard) serve() {
	defer sh.ended.Done()
	for {
		select {
		case <-sh.handed:
		case <-sh.timer.C:
			sh.alarm.Store(true)
			if !sh.take() {
				continue // the owner sees the alarm when it gives back
			}
		case <-sh.quit:
			return
		}
		sh.later = false
		sh.drain(turnBatches)
		sh.giveBack()
		// Let connections go first, even with a single processor. A loop that sleeps
		// does so in the kernel, as a thread, so yielding to goroutines only is not
		// enough: while a client with a million jobs disconnected, 8 of 30 others then
		// waited more than 1.5 ms.
		if len(sh.handed) > 0 {
			pace.StepBack()
		} else {
			runtime.Gosched()
		}
	}
}
