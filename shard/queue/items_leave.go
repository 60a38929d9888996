package queue

import (
	"cmp"
)

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
