package router

import (
	"fmt"
	"maps"
	"slices"

	"beanfield/shard/queue"
)

// crew is what the queue service does in a simulation: consumers of several groups, and
// gets that wait, on the tubes of the beanstalk clients and on their rear queues.
type crew struct {
	s      *simulation // nil in a world
	bed    *bed
	note   func(format string, args ...any)
	fatalf func(format string, args ...any) // does not return
	l      *ledger
	limits *queue.Limits
	tubes  []string
	conns  map[string]*conn // by consumer, the newest of each
	open   []*conn          // those that have not left, which may have been replaced
	gets   []*waitingGet
}

func newCrew(d *bed, l *queue.Limits, note, fatalf func(string, ...any)) *crew {
	return &crew{bed: d, note: note, fatalf: fatalf, limits: l, l: newLedger(d, l, note, fatalf), conns: map[string]*conn{}}
}

// conn is a connection of a consumer.
type conn struct {
	crew               *crew
	queue, group, user string
	indexOnly          bool
	holder             *ledgerUser // once its watch has been applied
	heard              []uint64
	weight             int
	spent              []*queue.DeliveryBatch
	replaced           bool
	closed             bool // nobody reads from it any more
	watching           bool // its watch is not answered yet
}

func (c *conn) String() string { return fmt.Sprintf("%s.%s of %s", c.group, c.user, c.queue) }

// Receive implements queue.Receiver.
func (c *conn) Receive(p *queue.DeliveryBatch, ok bool) {
	for i := range p.Items {
		it := &p.Items[i]
		if want := fmt.Sprintf("job %d", it.Index); !c.indexOnly && string(p.Small(i)) != want || !ok {
			c.crew.fatalf("%v is sent item %d with body %q", c, it.Index, p.Small(i))
		}
		if !c.replaced && !c.closed {
			c.heard = append(c.heard, it.Index)
		}
	}
	c.crew.note("%v receives %d items", c, len(p.Items))
	c.weight += p.Weight()
	c.spent = append(c.spent, p)
}

// Replaced implements queue.Receiver.
func (c *conn) Replaced() { c.replaced = true }

// Removed implements queue.Receiver.
func (c *conn) Removed() { c.replaced = true }

// errand is one operation on its way.
type errand struct {
	batch queue.Batch
	then  func(op *queue.Op)
}

// Complete hears of the answer.
func (e *errand) Complete(b *queue.Batch) { e.then(&b.Ops[0]) }

// submit sends an operation of the queue service, the way Router.Ask does.
func (c *crew) submit(a *queue.Ask, op queue.Op, then func(op *queue.Op)) {
	if then == nil {
		then = func(op *queue.Op) {
			if op.Status != queue.OK && a.What != queue.AskDropGroup {
				c.fatalf("operation %d on %s has status %d", a.What, a.Queue, op.Status)
			}
		}
	}
	a.Limits = c.limits
	op.Kind, op.Ask = queue.Service, a
	e := &errand{then: then}
	e.batch.Ops, e.batch.Done = []queue.Op{op}, e
	if c.bed.shards[c.bed.r.TubeShard([]byte(a.Queue))].Submit(&e.batch) {
		e.Complete(&e.batch)
	}
}

// say is an operation in a consumer's name.
func (k *conn) say(what queue.What) *queue.Ask {
	return &queue.Ask{What: what, Queue: k.queue, Group: k.group, User: k.user, Receiver: k}
}

// report says that all has been sent that a connection was given.
func (k *conn) report() bool {
	if len(k.spent) == 0 {
		return false
	}
	a := k.say(queue.AskSent)
	a.Bytes, a.Spent = k.weight, k.spent
	k.weight, k.spent = 0, nil
	k.crew.submit(a, queue.Op{}, nil)
	return true
}

// connect makes a connection for a consumer, in place of the one that it may have.
func (c *crew) connect(k *conn, a *queue.Ask) {
	k.crew = c
	c.conns[k.String()] = k
	c.open = append(c.open, k)
	a.Receiver, k.watching = k, true
	c.submit(a, queue.Op{}, func(op *queue.Op) {
		k.watching = false
		if op.Status != queue.OK {
			c.fatalf("%v watches: status %d", k, op.Status)
		}
	})
}

// leave ends a connection.
func (c *crew) leave(k *conn) {
	if k.watching {
		return
	}
	c.note("%v leaves", k)
	c.open = slices.DeleteFunc(c.open, func(o *conn) bool { return o == k })
	if c.conns[k.String()] == k {
		delete(c.conns, k.String())
	}
	c.submit(k.say(queue.AskLeave), queue.Op{}, nil)
}

// users lists the consumers in an order that repeats.
func (c *crew) users() (list []*conn) {
	for _, name := range slices.Sorted(maps.Keys(c.conns)) {
		list = append(list, c.conns[name])
	}
	return list
}

// waitingGet is a get of somebody who waits for an item.
type waitingGet struct {
	crew    *crew
	ask     queue.Ask
	flying  bool
	waiting bool
	called  bool
	over    bool
	took    []queue.Item // or found
}

// TryAgain implements queue.Getter.
func (g *waitingGet) TryAgain() { g.called = true }

// try asks, and asks again when the get was called.
func (g *waitingGet) try() {
	g.flying, g.waiting, g.called = true, false, false
	a := g.ask
	a.Getter, a.Wait = g, true
	g.crew.submit(&a, queue.Op{}, func(op *queue.Op) {
		g.flying, g.waiting, g.over = false, op.Status == queue.Waiting, op.Status == queue.OK
		if !g.waiting && !g.over {
			g.crew.fatalf("a get has status %d", op.Status)
		}
		if g.over {
			g.took = a.Found.Items
		}
	})
}

// hangUp withdraws the get.
func (g *waitingGet) hangUp() {
	if !g.flying && !g.over {
		g.over = true
		g.crew.submit(&queue.Ask{What: queue.AskUnget, Queue: g.ask.Queue, Getter: g}, queue.Op{}, nil)
	}
}

// retry goes on with the gets that were called, and drops those that are over. It reports
// whether there was one.
func (c *crew) retry() (again bool) {
	for _, g := range c.gets {
		if g.called && !g.flying && !g.over {
			c.l.seen.woken++
			g.try()
			again = true
		}
	}
	c.gets = slices.DeleteFunc(c.gets, func(g *waitingGet) bool { return g.over && !g.flying })
	return again
}

// goOn does what need not be waited for: reports, and gets that were called.
func (c *crew) goOn() (again bool) {
	for _, k := range c.users() {
		again = k.report() || again
	}
	return c.retry() || again
}

// checkGets looks for gets that wait for what is there.
func (c *crew) checkGets() error {
	for _, g := range c.gets {
		if g.over {
			continue
		}
		a := g.ask
		a.Limits = c.limits
		p := c.bed.shards[c.bed.r.TubeShard([]byte(a.Queue))]
		if st := p.query(&a, 0); st != queue.Empty || !g.waiting {
			return fmt.Errorf("F3: a get of %s waits: %t, and what it asks for is there: status %d", a.Queue, g.waiting, st)
		}
	}
	return nil
}

// retire ends all gets, and all consumers leave.
func (c *crew) retire() {
	for _, g := range c.gets {
		g.hangUp()
	}
	for len(c.open) > 0 {
		c.leave(c.open[0])
	}
	c.s.settle()
}
