package queue

import "beanfield/shard/queue/cells"

// A consumer of a tube's first group waits in the line of the tube's waiters while it
// has room. One that gets room, or a connection, goes through State.withRoom: at the end of
// the turn it is given the best job, and goes to the end of State.withRoom again, for as
// long as it has room and there are jobs. When there are none, it joins the line. So all
// that have room take turns, a consumer with a large window takes no more than others at
// a time, and the work of a turn is bounded.

// feed serves the consumers that may have got room, and those that are to learn that no
// more items come.
func (s *State) feed() {
	for !s.spent() {
		if s.withRoom.N == 0 {
			if len(s.ending)+len(s.parting) == 0 {
				return
			}
			s.tickOver()
			continue
		}
		c := s.withRoom.Pop()
		c.listed = false
		s.spend(moving)
		s.feedOne(c)
	}
}

// feedOne sends a consumer one item, or lets it wait for one.
func (s *State) feedOne(c *consumer) {
	t := c.group.service.tube
	if c.group.view != nil {
		s.feedView(c)
		return
	}
	switch {
	case c.to == nil:
		s.departIdle(c)
		return
	case !c.listens():
		return
	case c.group.service.ended && s.tells(c):
		return
	case c.again != 0:
		s.resend(c)
	case !c.room() || c.client.waits != nil:
		return
	case c.filtered():
		s.seekFor(c)
		return
	case t.offers():
		s.push(c, s.pick(c, t))
	default:
		s.wait(&c.client, 0)
		return
	}
	s.wake(c)
}

// pick is the ready job that a consumer is sent next: the best one. If the consumer has
// just refused that or been too slow, and its group has others who may take it, it is sent the second best.
func (s *State) pick(c *consumer, t *tube) uint32 {
	best := t.ready.Top().Slot
	if !s.avoids(c, best) || len(c.group.consumers) < 2 {
		return best
	}
	var second *cells.Entry // among the children of the best one in the heap
	for i := uint32(1); i < min(5, t.ready.N); i++ {
		if e := t.ready.At(i); second == nil || e.Before(*second) {
			second = e
		}
	}
	if second == nil || s.avoids(c, second.Slot) {
		return best
	}
	return second.Slot
}

func (s *State) avoids(c *consumer, slot uint32) bool {
	it := s.itemAt(slot)
	return it != nil && it.avoid == c.number
}

// push sends a ready job to a consumer, which holds it from now on. With auto-commit
// the group is done with the job at once, unless its body is yet to be read.
func (s *State) push(c *consumer, slot uint32) {
	s.unready(slot)
	away := s.load(c, slot)
	c.group.delivered++
	if c.autoCommit && !away {
		if t := c.group.service.tube; t.policy != nil {
			s.handOut(t)
		}
		s.finish(slot)
		return
	}
	s.hold(&c.client, slot)
}

// resend sends a new connection the next of the items that were pending before, or gives
// the item back if the consumer no longer wants it or has room for it.
func (s *State) resend(c *consumer) {
	slot := c.again
	switch id := s.job(slot).id(); {
	case id < c.start:
		s.unhold(slot)
		s.rebalance(slot)
	case !c.autoCommit && c.resent >= c.window:
		s.unhold(slot)
		s.makeReady(slot)
	default:
		c.resent++
		away := s.load(c, slot)
		c.again = s.linksOf(slot).Next
		if c.autoCommit && !away {
			s.unhold(slot)
			s.finish(slot)
		}
	}
}

// batchFor is what the turn sends to a consumer.
func (s *State) batchFor(c *consumer) *DeliveryBatch {
	p := c.batch
	if p == nil {
		p = s.newDeliveryBatch()
		p.to, p.consumer = c.to, c
		c.batch = p
		s.Deliveries = append(s.Deliveries, p)
	}
	return p
}

// load adds a job to what the turn sends to a consumer. It reports whether the job's
// body is yet to be read.
func (s *State) load(c *consumer, slot uint32) (away bool) {
	p := s.batchFor(c)
	s.pushed++
	s.pack(p, slot, !c.indexOnly)
	i := &p.Items[len(p.Items)-1]
	c.unsent += i.weight()
	i.Delivery = 1
	if it := s.itemAt(slot); it != nil {
		i.Delivery += int(it.rebalances)
		it.avoid = 0
	}
	c.index = i.Index
	c.group.index = max(c.group.index, i.Index)
	return i.away
}

// TakeDeliveries appends the delivery batches that were made since it was last called.
func (s *State) TakeDeliveries(list []*DeliveryBatch) []*DeliveryBatch {
	for i, p := range s.Deliveries {
		if c := p.consumer; c.batch == p {
			c.batch = nil
			if p.away > 0 {
				c.fetching = true
				s.unwait(&c.client)
			}
		}
		list = append(list, p)
		s.Deliveries[i] = nil
	}
	s.Deliveries = s.Deliveries[:0]
	return list
}
