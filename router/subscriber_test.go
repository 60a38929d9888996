package router

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"

	"beanfield/shard/queue"
)

// inbox is one connection of a subscriber.
type inbox struct {
	bell chan struct{} // has room for one ring

	mu       sync.Mutex
	batches  []*queue.DeliveryBatch
	replaced bool
	failed   bool
}

func newInbox() *inbox { return &inbox{bell: make(chan struct{}, 1)} }

func (b *inbox) ring() {
	select {
	case b.bell <- struct{}{}:
	default:
	}
}

// Receive implements queue.Receiver.
func (b *inbox) Receive(p *queue.DeliveryBatch, ok bool) {
	b.mu.Lock()
	b.batches = append(b.batches, p)
	b.failed = b.failed || !ok
	b.mu.Unlock()
	b.ring()
}

// Replaced implements queue.Receiver.
func (b *inbox) Replaced() {
	b.mu.Lock()
	b.replaced = true
	b.mu.Unlock()
	b.ring()
}

// Removed implements queue.Receiver.
func (b *inbox) Removed() { b.Replaced() }

func (b *inbox) take() []*queue.DeliveryBatch {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := b.batches
	b.batches = nil
	return all
}

// subscriber is a consumer as a program would be: one goroutine that takes what it is
// pushed, works on it and commits it. A healthy one does nothing else.
type subscriber struct {
	crowd   *crowd
	audit   *audit // of its group
	user    int    // 1 and up, in its group
	window  int    // 0: auto-commit
	healthy bool
	mortal  bool // it leaves for good in the middle
	random  *rand.Rand
	box     *inbox
	held    []uint64 // what it has been pushed over this connection, and has not answered for
}

// op begins an operation in the subscriber's name.
func (s *subscriber) op(what queue.What) *queue.Op {
	return &queue.Op{Kind: queue.Service, Ask: &queue.Ask{
		What: what, Queue: s.crowd.queue, Group: s.audit.name, User: fmt.Sprint(s.user), Limits: s.crowd.limits, Receiver: s.box}}
}

func (s *subscriber) ask(op *queue.Op) {
	if s.crowd.r.Ask(op); op.Status != queue.OK {
		s.crowd.wrong("%s.%d: operation %d has status %d", s.audit.name, s.user, op.Ask.What, op.Status)
	}
}

// watch makes a new connection. The one before, if it is still there, is replaced.
func (s *subscriber) watch() {
	s.box, s.held = newInbox(), nil
	op := s.op(queue.AskWatch)
	op.Ask.Window, op.Ask.AutoCommit = max(1, s.window), s.window == 0
	s.ask(op)
}

// run works until stop is closed.
func (s *subscriber) run(stop <-chan struct{}) {
	for {
		select {
		case <-stop:
			s.ask(s.op(queue.AskLeave))
			return
		case <-s.box.bell:
		}
		s.read(s.box.take())
		luck := 99
		if !s.healthy {
			luck = s.random.IntN(60)
		}
		switch {
		case luck < 99 && s.mortal && s.audit.half():
			s.ask(s.op(queue.AskLeave))
			return
		case luck == 0:
			s.comeBack()
		case luck == 1:
			s.takeOver()
		case luck < 5 && len(s.held) > 0:
			s.refuse()
			s.commit()
		default:
			s.commit()
		}
	}
}

// comeBack leaves, and watches again before its items have been given to others, or after
// that.
func (s *subscriber) comeBack() {
	s.ask(s.op(queue.AskLeave))
	for range s.random.IntN(100) {
		s.crowd.r.Ask(s.op(queue.AskAttrs))
	}
	s.watch()
}

// takeOver watches again while it is still there.
func (s *subscriber) takeOver() {
	old := s.box
	s.watch()
	old.mu.Lock()
	defer old.mu.Unlock()
	if !old.replaced {
		s.crowd.wrong("%s.%d took over, and its old connection does not know", s.audit.name, s.user)
	}
}

// read takes what has come, and says so.
func (s *subscriber) read(batches []*queue.DeliveryBatch) {
	sent := s.op(queue.AskSent)
	for _, p := range batches {
		sent.Ask.Bytes += p.Weight()
		for i := range p.Items {
			it := &p.Items[i]
			if string(p.Small(i)) != string(body) {
				s.crowd.wrong("item %d is pushed with body %q", it.Index, p.Small(i))
			}
			s.audit.pushed(it.Index, s.user, it.Delivery)
			if slices.Contains(s.held, it.Index) {
				s.crowd.wrong("item %d is pushed twice", it.Index)
			}
			if s.window > 0 {
				s.held = append(s.held, it.Index)
			} else {
				s.audit.done(it.Index)
			}
		}
	}
	if len(s.held) > s.window {
		s.crowd.wrong("%s.%d has %d items and a window of %d", s.audit.name, s.user, len(s.held), s.window)
	}
	sent.Ask.Spent = batches
	s.ask(sent)
}

// commit says that all it has is done.
func (s *subscriber) commit() {
	if len(s.held) == 0 {
		return
	}
	op := s.op(queue.AskCommit)
	op.Ask.Indexes = append([]uint64{0}, s.held...)
	s.ask(op)
	for _, id := range s.held {
		s.audit.done(id)
	}
	s.held = s.held[:0]
}

// refuse gives back the first of what it has.
func (s *subscriber) refuse() {
	op := s.op(queue.AskNegative)
	op.Ask.Indexes, op.Ask.Code, op.Ask.Reason = s.held[:1], "Busy", "no room"
	s.audit.givenBack(s.held[0], s.user)
	s.ask(op)
	s.held = s.held[1:]
}
