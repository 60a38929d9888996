package queue

import (
	"cmp"

	"beanfield/shard/queue/cells"
)

// consumer is a user of a group that is sent items, over one connection at a time.
// In the first group, its client watches the tube, and what the client holds is pending.
// A consumer stays for a while after its connection has gone.
type consumer struct {
	client Client
	group  *group
	user   string
	number uint32   // no other consumer of the shard ever has it
	at     int      // in group.consumers
	to     Receiver // its connection; nil when it has left

	// as its last watch said
	window     int
	autoCommit bool
	indexOnly  bool
	closes     bool
	maxUnsent  int // Limits.MaxUnsent then: its connection reports by that
	tags       Tags
	marks      uint64 // of tags, if it is filtered
	start      uint64

	row      cells.Row // deadlines that came in order
	look     uint64    // of a filtered one: it wants no job with a lower id
	index    uint64    // the item that it was sent last
	heard    int64     // when it was last heard of
	unsent   int       // DeliveryBatch.Weight of what was pushed and is not reported as sent
	told     bool      // it knows that its group is over
	stopped  bool      // it is about to stop (CodeShutdown), and is sent nothing until it watches again
	fetching bool      // bodies are read for its last batch; the next would overtake it
	again    uint32    // the pending item that a new connection is to be sent next, or 0
	resent   int       // how many it was sent again
	listed   bool      // it is in State.withRoom
	batch    *DeliveryBatch

	// of a view's consumer: what is pending, and its place in the view's line
	has    cells.List[uint32]
	inLine cells.Node[*consumer]

	exited     bool                  // it left, and its time to come back has passed
	departed   bool                  // it is in State.departed
	departedAt int64                 // if so
	among      cells.Node[*consumer] // there
}

// clogged says that the connection must first send what it has.
func (c *consumer) clogged() bool {
	return c.fetching || c.maxUnsent > 0 && c.unsent >= c.maxUnsent
}

// listens says that the consumer may be sent something.
func (c *consumer) listens() bool { return c.to != nil && !c.stopped && !c.clogged() }

// held is how many items are pending.
func (c *consumer) held() int {
	if c.group.view != nil {
		return c.has.N
	}
	return c.client.held.N
}

// slots is how many more items may be pending.
func (c *consumer) slots() int {
	if c.autoCommit {
		return 0
	}
	return max(0, c.window-c.held())
}

// room says that the consumer may be sent a new item.
func (c *consumer) room() bool {
	return c.listens() && c.again == 0 && (c.autoCommit || c.held() < c.window)
}

// status is the word for the consumer in the attributes.
func (c *consumer) status() string {
	switch {
	case c.to != nil:
		return StatusRunning
	case c.exited:
		return StatusExit
	case c.held() == 0:
		return StatusComplete
	}
	return StatusLeaving
}

// askWatch makes a consumer, or gives an existing one a new connection.
func (s *State) askWatch(_ *Batch, op *Op) Status {
	a := op.Ask
	t := s.tubeNamed([]byte(a.Queue))
	v := s.serviceOf(t, a.Limits)
	start, known := s.startOf(v, a)
	g, done := (*group)(nil), false
	if known {
		g, done = s.groupFor(v, a, start)
	}
	if !done {
		return More
	}
	c := g.users[a.User]
	if c == nil {
		s.numbered++
		c = &consumer{group: g, user: a.User, number: s.numbered}
		c.client.consumer = c
		s.enroll(&c.client)
		s.leaving.Cover(c.client.slot)
		g.add(c)
	}
	s.connect(c, a.Receiver)
	c.window, c.autoCommit, c.indexOnly, c.maxUnsent = a.Window, a.AutoCommit, a.IndexOnly, a.Limits.MaxUnsent
	c.closes, c.told = a.Closes, c.told && a.Closes
	if g.view == nil {
		c.choose(a.Tags, start)
	} else {
		c.tags = g.view.tags
	}
	c.heard = s.now
	s.wake(c)
	return OK
}

// connect gives a consumer a connection, in place of the one that it may have.
func (s *State) connect(c *consumer, to Receiver) {
	if c.to == nil {
		s.undepart(c)
		if c.group.view == nil {
			s.watch(&c.client, c.group.service.tube)
		}
	} else {
		s.unwait(&c.client)
		s.leaveLine(c)
		if c.to != to {
			c.to.Replaced()
		}
	}
	c.to, c.batch = to, nil
	c.unsent, c.stopped, c.fetching = 0, false, false
	c.again, c.resent = s.firstHeld(c), 0
}

// groupOf finds the group that an operation names; nil if there is none.
func (s *State) groupOf(a *Ask) *group { return s.serviceNamed(a).groupNamed(a.Group) }

// heardOf finds the consumer that an operation comes from.
func (s *State) heardOf(a *Ask) *consumer {
	g := s.groupOf(a)
	if g == nil {
		return nil
	}
	c := g.users[a.User]
	if c != nil {
		c.heard = s.now
	}
	return c
}

// askSent notes what a consumer's connection has sent, so that it may be pushed more.
func (s *State) askSent(_ *Batch, op *Op) Status {
	for _, p := range op.Ask.Spent {
		s.spare(p)
	}
	c := s.heardOf(op.Ask)
	if c != nil && c.to == op.Ask.Receiver {
		c.unsent = max(0, c.unsent-op.Ask.Bytes)
		s.wake(c)
	}
	return OK
}

// wake notes that at the end of the turn a consumer is to be sent what it may get.
func (s *State) wake(c *consumer) {
	if !c.listed {
		c.listed = true
		s.withRoom.Push(c)
	}
}

// A consumer whose connection has gone may come back. For Limits.Leaving it keeps its
// pending items; then they go to others. When it has none left, it is only remembered, so
// that the attributes can show it: for Limits.Forget, and up to departedMost in a shard.
const (
	forgetAfter  = 300 * second // if Limits.Forget is 0
	departedMost = 1024
)

// forgetAt is when a consumer that has departed is forgotten, by the limits that an operation
// brought last. They say the same for all queues, so who departed first is due first.
func (s *State) forgetAt(c *consumer) int64 {
	return c.departedAt + cmp.Or(s.shownFor, forgetAfter)
}

// askLeave ends a consumer's connection.
func (s *State) askLeave(_ *Batch, op *Op) Status {
	a := op.Ask
	if g := s.groupOf(a); g != nil {
		if c := g.users[a.User]; c != nil && c.to != nil && c.to == a.Receiver {
			s.disconnect(c)
		}
	}
	return OK
}

// disconnect takes the consumer's connection away. From now on it has a time to come back.
func (s *State) disconnect(c *consumer) {
	v := c.group.service
	s.unwait(&c.client)
	c.ignoreShown()
	s.leaveLine(c)
	c.to, c.batch, c.again = nil, nil, 0
	s.leaving.Schedule(c.client.slot, s.now+max(0, v.limits.Leaving))
	if c.group.view == nil {
		s.ignore(&c.client, v.tube)
	}
	if c.held() == 0 {
		s.depart(c)
	}
}

// exit goes on with the first of the consumers whose time to come back has passed: it
// takes back one item.
func (s *State) exit() {
	c := s.clients.Get(s.leaving.Top().Slot).consumer
	if c.held() == 0 {
		s.depart(c)
		return
	}
	c.exited = true
	s.returned(c.group, s.firstHeld(c))
	if c.held() == 0 {
		s.depart(c)
	}
}

// departIdle lets a consumer that has left depart, if others have committed its items.
func (s *State) departIdle(c *consumer) {
	if c.held() == 0 && !c.departed && c.client.slot != 0 {
		s.depart(c)
	}
}

// depart puts a consumer that has left, and has nothing pending, among those that are
// only remembered.
func (s *State) depart(c *consumer) {
	s.leaving.Schedule(c.client.slot, 0)
	c.departed, c.departedAt = true, s.now
	s.departed.Join(&c.among, c)
	if s.departed.N > departedMost {
		s.forgetConsumer(s.departed.First())
	}
}

// undepart takes a consumer, which comes back or is forgotten, out of all lists of those
// that have left.
func (s *State) undepart(c *consumer) {
	s.leaving.Schedule(c.client.slot, 0)
	c.exited = false
	if c.departed {
		s.departed.Leave(&c.among)
		c.departed = false
	}
}

// forgetConsumer ends a consumer that has left and has nothing pending.
func (s *State) forgetConsumer(c *consumer) {
	s.undepart(c)
	c.group.remove(c)
	s.dismiss(&c.client)
}

// tickLeavers does what is due for the consumers that have left.
func (s *State) tickLeavers() {
	for s.leaving.Due(s.now) && s.step(moving) {
		s.exit()
	}
	for c := s.departed.First(); c != nil && s.forgetAt(c) <= s.now && s.step(moving); c = s.departed.First() {
		s.forgetConsumer(c)
	}
}
