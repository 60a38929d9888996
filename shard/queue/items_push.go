package queue

import (
	"slices"

	"beanfield/shard/queue/cells"
)

// A consumer of a tube's first group waits in the line of the tube's waiters while it
// has room. One that gets room, or a connection, goes through State.withRoom: at the end of
// the turn it is given the best job, and goes to the end of State.withRoom again, for as
// long as it has room and there are jobs. When there are none, it joins the line. So all
// that have room take turns, a consumer with a large window takes no more than others at
// a time, and the work of a turn is bounded.
//
// A view has a line of its own. A job that becomes undelivered there calls the first of those who
// wait, which then goes through State.withRoom like all consumers. While there are undelivered
// jobs and the line is not empty, one of the view's consumers is called (V3).

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
	g := c.group
	if g.view != nil {
		defer s.callLine(g.view) // whatever becomes of this consumer
	}
	switch {
	case c.to == nil:
		s.departIdle(c)
	case !c.listens(), g.service.ended && s.tells(c):
	case c.again != 0:
		s.resend(c)
		s.wake(c)
	case !c.room() || c.waits():
	case c.filtered():
		s.seekFor(c)
	case g.offers():
		s.push(c, s.pick(c))
		s.wake(c)
	case g.view != nil:
		g.view.line.Join(&c.inLine, c)
	default:
		s.wait(&c.client, 0)
	}
}

// offers says that the group may be sent a job now.
func (g *group) offers() bool {
	if w := g.view; w != nil {
		return w.heap.N > 0 && !g.service.tube.paused()
	}
	return g.service.tube.offers()
}

// pick is the job that a consumer is sent next: the best one. If a consumer of the first group has
// just refused that or been too slow, and the group has others who may take it, it is sent the second best.
func (s *State) pick(c *consumer) uint32 {
	if w := c.group.view; w != nil {
		return w.heap.Top().Slot
	}
	t := c.group.service.tube
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

// push sends a job to a consumer, at which it is pending from now on. With auto-commit
// the group is done with the job at once, unless its body is yet to be read.
func (s *State) push(c *consumer, slot uint32) {
	c.group.delivered++
	if w := c.group.view; w != nil {
		s.viewHold(w, c, slot)
		if away := s.load(c, slot); c.autoCommit && !away {
			s.viewEnds(w, slot)
		}
		return
	}
	s.unready(slot)
	if away := s.load(c, slot); !c.autoCommit || away {
		s.hold(&c.client, slot)
		return
	}
	if t := c.group.service.tube; t.policy != nil {
		s.handOut(t)
	}
	s.finish(slot)
}

// resend sends a new connection the next of the items that were pending before, or gives
// the item back if the consumer no longer wants it or has room for it.
func (s *State) resend(c *consumer) {
	g, slot := c.group, c.again
	switch id := s.job(slot).id(); {
	case id < c.start:
		s.returned(g, slot)
	case !c.autoCommit && c.resent >= c.window:
		s.offerAgain(g, slot)
	default:
		c.resent++
		if w := g.view; w != nil {
			ref := w.pendingOf(slot)
			s.pendings.At(ref).at = s.now
			w.unsend(s, ref)
			w.send(s, ref)
			s.retimeView(w)
		}
		c.again = s.heldAfter(c, slot)
		if away := s.load(c, slot); c.autoCommit && !away {
			s.doneWith(g, slot)
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
	i.Delivery = 1 + s.returnsOf(c.group, slot)
	if it := s.itemAt(slot); it != nil {
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

// waits says that the consumer waits in a line: of the tube, or of its view.
func (c *consumer) waits() bool { return c.client.waits != nil || c.lined() }

// lined says that the consumer waits in its view's line.
func (c *consumer) lined() bool { return c.group.view != nil && c.group.view.line.In(&c.inLine) }

// leaveLine takes a consumer of a view out of its line.
func (s *State) leaveLine(c *consumer) {
	if c.lined() {
		c.group.view.line.Leave(&c.inLine)
	}
}

// callLine calls the first consumer of the line, if there is a job for it.
func (s *State) callLine(w *view) {
	if c := w.line.First(); c != nil && w.group.offers() {
		s.leaveLine(c)
		s.wake(c)
	}
}

// callLines does the same for all views of a tube whose pause has ended.
func (v *service) callLines(s *State) {
	for _, w := range v.views {
		s.callLine(w)
	}
}

// A filtered consumer wants only items with its tags, or from an index on. So it does not
// wait in the line of its tube's waiters, who take whatever is best. It looks through
// the queue in the order of the ids, in shares of a turn, and remembers how far it has
// come. A job that becomes ready, and that the line has not taken, is shown to the filtered
// consumers, first to the one that has waited longest. If one wants the job, but has no
// room just then or is still looking, it will look at that job again.

// lookedAll is how far a consumer has come that knows of no item for it. No id is as high.
const lookedAll = ^uint64(0)

// filtered says that the consumer does not want just any item.
func (c *consumer) filtered() bool {
	return c.group.view == nil && (len(c.tags) > 0 || c.start > 0)
}

// wants says whether a job may be sent to a filtered consumer.
func (c *consumer) wants(s *State, slot uint32) bool {
	return s.job(slot).id() >= c.start && s.tagsOf(slot).Has(c.tags)
}

// startOf is the first index that a watch asks for. It reports false if another turn is
// needed to find that out.
func (s *State) startOf(v *service, a *Ask) (start uint64, known bool) {
	switch {
	case a.Index != NewestIndex:
		return a.Index, true
	case !s.whole(v):
		return 0, false
	case v.index.order.n == 0:
		return 1, true
	}
	return v.index.order.lastID() + 1, true
}

// choose gives a consumer the filter that its watch asks for.
func (c *consumer) choose(tags Tags, start uint64) {
	v := c.group.service
	c.ignoreShown()
	c.tags, c.start, c.look = append(c.tags[:0], tags...), start, 0
	c.marks = c.tags.marks()
	if c.filtered() {
		v.filtered = append(v.filtered, c)
	}
}

// ignoreShown removes a consumer from those that jobs are shown to.
func (c *consumer) ignoreShown() {
	v := c.group.service
	if i := slices.Index(v.filtered, c); i >= 0 {
		v.filtered = slices.Delete(v.filtered, i, i+1)
	}
}

// show offers a job to the filtered consumers, if it is still ready.
func (v *service) show(s *State, id uint64) {
	slot := s.find(id)
	if slot == 0 || s.job(slot).state() != Ready || s.job(slot).tube() != v.tube.slot {
		return
	}
	marks := s.tagsOf(slot).marks()
	for i, c := range v.filtered {
		s.spend(visiting)
		if c.marks&^marks != 0 || !c.wants(s, slot) {
			continue
		}
		if c.look == lookedAll && c.room() && v.tube.offers() {
			v.filtered = append(slices.Delete(v.filtered, i, i+1), c)
			s.push(c, slot)
			return
		}
		c.look = min(c.look, id)
		s.wake(c)
	}
}

// seekFor sends a filtered consumer with room the next item that it wants, or lets it wait
// until it is shown one.
func (s *State) seekFor(c *consumer) {
	v := c.group.service
	if c.look == lookedAll || v.tube.shut() {
		return
	}
	borrowed := max(0, min(leastShare, s.Share)-s.share) // so that each call makes progress
	s.share += borrowed
	defer func() { s.share -= borrowed }()
	if !s.whole(v) {
		s.wake(c)
		return
	}
	c.look = max(c.look, c.start)
	found := false
	if v.walk(s, &c.look, visiting, func(slot uint32) bool {
		if found = s.job(slot).state() == Ready && c.wants(s, slot); found {
			s.push(c, slot)
		}
		return !found
	}) && !found {
		c.look = lookedAll
		return
	}
	s.wake(c)
}
