package router

import (
	"fmt"
	"slices"

	"beanfield/shard/queue"
)

// conn is a consumer's connection.
type conn struct {
	w                  *world
	queue, group, user string
	heard              []uint64
	dealt              int // how many of them the consumer has answered for
	weight             int
	spent              []*queue.DeliveryBatch
	watching           bool
	indexOnly          bool
	gone               bool // it was replaced or left, and nobody reads from it any more
}

func (c *conn) String() string { return c.group + "." + c.user }

// Receive implements queue.Receiver.
func (c *conn) Receive(p *queue.DeliveryBatch, ok bool) {
	for i := range p.Items {
		it := &p.Items[i]
		if want := fmt.Sprintf("job %d", it.Index); !c.indexOnly && string(p.Small(i)) != want || !ok {
			c.w.fail("%v is sent item %d with body %q", c, it.Index, p.Small(i))
		}
		if !c.gone {
			c.heard = append(c.heard, it.Index)
		}
	}
	c.weight += p.Weight()
	c.spent = append(c.spent, p)
}

// Replaced implements queue.Receiver.
func (c *conn) Replaced() { c.gone = true }

// Removed implements queue.Receiver.
func (c *conn) Removed() { c.gone = true }

// say is an operation in a consumer's name.
func (c *conn) say(what queue.What) *queue.Ask {
	return &queue.Ask{What: what, Queue: c.queue, Group: c.group, User: c.user, Receiver: c}
}

// errand is one operation on its way.
type errand struct {
	batch queue.Batch
	then  func(op *queue.Op)
}

// Complete hears of the answer.
func (e *errand) Complete(b *queue.Batch) { e.then(&b.Ops[0]) }

// send sends an operation of the queue service, the way Router.Ask does.
func (w *world) send(a *queue.Ask, op queue.Op, then func(op *queue.Op)) {
	a.Limits, op.Kind, op.Ask = w.limits, queue.Service, a
	e := &errand{then: then}
	e.batch.Ops, e.batch.Done = []queue.Op{op}, e
	if w.bed.shards[w.bed.r.TubeShard([]byte(a.Queue))].Submit(&e.batch) {
		e.Complete(&e.batch)
	}
}

// consumer puts somebody into the world who asks about a group of a queue, or watches as a
// user of the group.
func (w *world) consumer(tube, group, user string) *actor {
	w.serves = true
	a := &actor{title: group + "." + user, w: w, conn: &conn{w: w, queue: tube, group: group, user: user}}
	a.service = &service{}
	w.actors = append(w.actors, a)
	return a
}

// also puts another one into the world who acts for the same connection.
func (a *actor) also() *actor {
	b := a.w.consumer(a.conn.queue, a.group, a.user)
	b.title, b.conn = "the connection of "+a.title, a.conn
	return b
}

// service is what an actor of the queue service does just now.
type service struct {
	flying bool
	get    *waitingGet // nil if it has begun none
}

// watch makes the connection that of its consumer.
func watch(window int) deed {
	return deed{plain, func(a *actor) {
		k := a.say(queue.AskWatch)
		k.Window, a.watching = window, true
		a.ask(k)
	}}
}

// getting begins a get that waits for an item from the n-th of the run on.
func getting(n uint64, take bool) deed {
	return deed{plain, func(a *actor) {
		a.find(queue.Ask{Index: a.w.first + n, Length: 1, Take: take})
	}}
}

func (a *actor) find(k queue.Ask) {
	k.What, k.Queue = queue.AskGet, a.conn.queue
	a.get = &waitingGet{w: a.w, ask: k}
	a.get.try()
}

func (a *actor) leave() {
	if a.get != nil {
		a.get.hangUp()
	}
	if a.watching && !a.flying {
		a.gone, a.watching = true, false
		a.ask(a.say(queue.AskLeave))
	}
}

// answerFor commits or refuses all that the consumer was sent.
func (a *actor) answerFor(what queue.What) {
	k := a.say(what)
	k.Indexes = append(k.Indexes, a.heard[a.dealt:]...)
	a.dealt = len(a.heard)
	a.ask(k)
}

func (a *actor) ask(k *queue.Ask) {
	a.flying = true
	a.w.send(k, queue.Op{}, func(op *queue.Op) {
		a.flying = false
		if op.Status != queue.OK && k.What != queue.AskDropGroup {
			a.w.fail("operation %d of %s has status %d", k.What, a.title, op.Status)
		}
	})
}

// visits lists what an actor of the queue service can do next.
func (a *actor) visits(list []move, i int) []move {
	if a.flying || a.get != nil && a.get.flying {
		return list
	}
	if g := a.get; g != nil && g.called && !g.over {
		list = append(list, move{triesAgain, i})
	}
	if a.planned() && (a.plan[a.next].kind != whenSent || a.dealt < len(a.heard)) {
		list = append(list, move{goesOn, i})
	}
	return list
}

// waitingGet is a get of somebody who waits for an item.
type waitingGet struct {
	w       *world
	ask     queue.Ask
	flying  bool
	waiting bool
	called  bool
	over    bool
	took    bool
}

// TryAgain implements queue.Getter.
func (g *waitingGet) TryAgain() { g.called = true }

// try asks, and asks again when the get was called.
func (g *waitingGet) try() {
	g.flying, g.waiting, g.called = true, false, false
	k := g.ask
	k.Getter, k.Wait = g, true
	g.w.send(&k, queue.Op{}, func(op *queue.Op) {
		g.flying, g.waiting, g.over = false, op.Status == queue.Waiting, op.Status == queue.OK
		if !g.waiting && !g.over {
			g.w.fail("a get has status %d", op.Status)
		}
		g.took = g.over && k.Take && len(k.Found.Items) > 0
	})
}

// hangUp withdraws the get.
func (g *waitingGet) hangUp() {
	if !g.flying && !g.over {
		g.over = true
		g.w.send(&queue.Ask{What: queue.AskUnget, Queue: g.ask.Queue, Getter: g}, queue.Op{}, func(*queue.Op) {})
	}
}

// lined counts the consumers of the group f that wait in the lines of a shard's tubes.
func (w *world) lined(p *stepped) (n int) {
	for _, tube := range w.queues() {
		if w.bed.shards[w.bed.r.TubeShard([]byte(tube))] != p {
			continue
		}
		for _, c := range w.attrs(tube).Consumers {
			if c.Group == "f" && c.Status == queue.StatusRunning && c.Slots > 0 {
				n++
			}
		}
	}
	return n
}

// queues are the queues that somebody has asked about, and their rear queues.
func (w *world) queues() (list []string) {
	for _, a := range w.actors {
		if a.conn != nil && !slices.Contains(list, a.conn.queue) {
			list = append(list, a.conn.queue, a.conn.queue+queue.RearSuffix)
		}
	}
	return list
}

func (w *world) attrs(tube string) *queue.Attrs {
	k := &queue.Ask{What: queue.AskAttrs, Queue: tube, Limits: w.limits}
	w.bed.shards[w.bed.r.TubeShard([]byte(tube))].query(k, 0)
	return k.Attrs
}

// checkConsumers looks for items that have not reached the connection of the consumer that has them, and for gets that
// wait for what is there. That consumers have what they have room for, the tests of package queue walk for. It counts
// the jobs that consumers hold.
func (w *world) checkConsumers() (holds int, err error) {
	for _, p := range w.bed.shards {
		reserved := queue.Filter{States: queue.States(0).With(queue.Reserved)}
		b := queue.Batch{Ops: []queue.Op{{Kind: queue.List}}, List: &queue.Listing{Most: 100, Filter: reserved}}
		for again := true; again; again = b.List.Next != 0 {
			b.List.From, b.Next = b.List.Next, 0
			for !p.state.Run(p.now(), &b) {
			}
			for _, j := range b.List.Jobs {
				if _, session := OwnerOf(j.Holder).(*player); !session {
					holds++
				}
			}
		}
	}
	for _, a := range w.actors {
		switch {
		case a.conn == nil:
		case a.flying || a.get != nil && a.get.flying:
			return 0, fmt.Errorf("an operation of %s has never ended", a.title)
		case a.get != nil && !a.get.over:
			k := a.get.ask
			k.Limits = w.limits
			if st := w.bed.shards[w.bed.r.TubeShard([]byte(k.Queue))].query(&k, 0); st != queue.Empty ||
				!a.get.waiting {
				return 0, fmt.Errorf("F3: a get of %s waits: %t, and its item is there: status %d", k.Queue,
					a.get.waiting, st)
			}
		case a.watching && !a.gone:
			if err := a.checkHeard(); err != nil {
				return 0, err
			}
		}
	}
	return holds, nil
}

// has are the items that are pending at the consumer.
func (a *actor) has() (ids []uint64) {
	p := a.w.bed.shards[a.w.bed.r.TubeShard([]byte(a.conn.queue))]
	for id := a.w.first + 1; id <= a.w.bed.r.ids.last.Load(); id++ {
		k := &queue.Ask{What: queue.AskSearch, Queue: a.conn.queue, Group: a.group, Limits: a.w.limits}
		if p.query(k, id) == queue.OK && k.Search.Pending && k.Search.Consumer == a.conn.String() {
			ids = append(ids, id)
		}
	}
	return ids
}

func (a *actor) checkHeard() error {
	for _, id := range a.has() {
		if !slices.Contains(a.heard, id) {
			return fmt.Errorf("item %d is pending at %s, whose connection was not sent it", id, a.title)
		}
	}
	return nil
}

// dropGroups removes all groups. Nobody has anything any more then.
func (w *world) dropGroups() {
	for _, tube := range w.queues() {
		for _, g := range w.attrs(tube).Groups {
			w.send(&queue.Ask{What: queue.AskDropGroup, Queue: tube, Group: g.Group}, queue.Op{}, func(*queue.Op) {})
		}
	}
	w.bed.drain()
}
