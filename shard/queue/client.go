package queue

import (
	"slices"

	"beanfield/shard/queue/cells"
	"beanfield/shard/queue/policy"
)

// Client is what a shard knows of one connection: the tube it uses, the
// tubes it watches, the jobs it holds, and whether it waits. The connection
// owns the memory; the shard alone touches it (S2). The zero value with a
// Waiter is ready for use.
type Client struct {
	Waiter   Waiter
	consumer *consumer // whose client this is; nil if it is a connection's

	slot    uint32 // in State.clients; 0 while it has none
	used    *tube
	watched []*tube            // in no particular order; those of a client of many tubes are in many
	many    *manyTubes         // nil while they are few
	held    cells.List[uint32] // in the order of reservation
	ttrs    cells.Heap         // the same jobs by deadline, except for those in a consumer's row
	waits   *waitEntry
	ticket  uint64                // of the latest wait
	arrival uint64                // its number among the shard's
	fair    *policy.FairScheduler // of its latest reserve; nil while no watched tube has a weight
	room    *roomWait             // its put that waits; nil if none does
	wish    *wish                 // nil until a reserve asks for tags, or to be told more
}

// enroll gives the client a slot, so that heaps can name it.
func (s *State) enroll(c *Client) {
	if c.slot != 0 {
		return
	}
	c.slot = s.clients.Add(c)
	s.holders.Cover(c.slot)
}

// dismiss takes the slot back when the client has left.
func (s *State) dismiss(c *Client) {
	if c.slot == 0 {
		return
	}
	s.clients.Drop(c.slot)
	c.slot = 0
}

// hold makes the client the holder of a job that is in no place.
func (s *State) hold(c *Client, slot uint32) {
	s.enroll(c)
	j := s.job(slot)
	t := s.rareOf(j)
	j.setState(Reserved)
	t.holder = c.slot
	t.Reserves++
	s.listAppend(&c.held, slot)
	t.key = 0
	if s.extra != nil {
		s.held(slot)
	}
	if j.ttr > 0 { // otherwise it has no deadline
		t.key = s.now + s.ttrOf(slot)
		e := deadlineKey(t.key, j.id(), slot)
		if c.consumer == nil || !c.consumer.row.Push(s.jobPos, e) {
			c.ttrs.Push(s.jobPos, e)
		}
		s.holders.Schedule(c.slot, c.soonest())
	}
	if c.consumer != nil {
		c.consumer.group.pending++
	}
	s.totals.Reserved++
	at := s.tubeOf(j)
	if at.reserved++; at.policy != nil {
		s.handOut(at)
	}
}

// unhold takes a job from its holder and leaves it in no place.
func (s *State) unhold(slot uint32) {
	j := s.job(slot)
	t := s.rare(j)
	c := s.clients.Get(t.holder)
	if c.consumer != nil {
		s.unpend(c.consumer, slot)
	}
	s.listRemove(&c.held, slot)
	if j.ttr > 0 {
		if at := s.jobPos.Get(slot); at&cells.InRow == 0 {
			c.ttrs.Remove(s.jobPos, at)
		} else {
			c.consumer.row.Remove(at)
		}
		s.holders.Schedule(c.slot, c.soonest())
	}
	t.holder, t.key = 0, 0
	if s.extra != nil {
		s.unheld(slot)
	}
	s.totals.Reserved--
	at := s.tubeOf(j)
	if at.reserved--; at.policy != nil {
		s.handIn(at)
	}
}

// holderOf is who holds a reserved job.
func (s *State) holderOf(slot uint32) *Client {
	return s.clients.Get(s.rare(s.job(slot)).holder)
}

// heldBy finds the job if the client holds it.
func (s *State) heldBy(c *Client, id uint64) uint32 {
	if c == nil || c.slot == 0 {
		return 0
	}
	if slot := s.slotOf(id); slot != 0 && s.holds(c, slot) {
		return slot
	}
	return 0
}

// holds says that a client holds a job.
func (s *State) holds(c *Client, slot uint32) bool {
	j := s.job(slot)
	return c != nil && c.slot != 0 && j.state() == Reserved && s.rare(j).holder == c.slot
}

// A client's deadlines are in its heap. A consumer may hold hundreds of jobs, but its
// deadlines mostly come in order, because TTRs are mostly equal, and go roughly in order. So
// deadlines that come in order are in a row. A deadline that is out of order, or that the row
// has no room for, is in the heap.

// first is the job whose deadline comes first; there must be one.
func (c *Client) first() cells.Entry {
	if c.consumer == nil || c.consumer.row.N == 0 {
		return c.ttrs.Top()
	}
	if e := c.consumer.row.First(); c.ttrs.N == 0 || e.Before(c.ttrs.Top()) {
		return e
	}
	return c.ttrs.Top()
}

// soonest is the first deadline of the jobs that the client holds, or 0.
func (c *Client) soonest() int64 {
	switch {
	case c == nil:
		return 0
	case c.ttrs.N > 0 && c.consumer == nil:
		return int64(c.ttrs.Top().Major)
	case c.ttrs.N > 0 || c.consumer != nil && c.consumer.row.N > 0:
		return int64(c.first().Major)
	}
	return 0
}

// use has the client use another tube; Unuse: none.
func (s *State) use(b *Batch, op *Op) Status {
	c, old := b.Client, b.Client.used
	if c.used = nil; op.Kind == Use {
		c.used = s.tubeNamed(op.Data)
		c.used.using++
	}
	if old != nil {
		old.using--
		s.letGo(old)
	}
	return OK
}

func (s *State) beginWatch(b *Batch, op *Op) Status {
	s.watch(b.Client, s.tubeNamed(op.Data))
	return OK
}

func (s *State) endWatch(b *Batch, op *Op) Status {
	s.ignore(b.Client, s.tubes[string(op.Data)])
	return OK
}

func (s *State) watch(c *Client, t *tube) {
	t.watching++
	if c.many != nil {
		c.many.add(t)
		return
	}
	if c.watched = append(c.watched, t); len(c.watched) > s.Many {
		c.watchMany()
	}
}

// ignore lets the last of the tubes take the place of the one that goes.
func (s *State) ignore(c *Client, t *tube) {
	if !c.unwatch(t) {
		panic("S5: a client ignores a tube that it does not watch")
	}
	if c.many != nil && int(c.many.tubes.N) <= s.Many/2 {
		c.watchFew()
	}
	t.watching--
	s.letGo(t)
}

// unwatch takes a tube out of those that the client watches.
func (c *Client) unwatch(t *tube) (found bool) {
	if c.many != nil {
		return c.many.remove(t)
	}
	i := slices.Index(c.watched, t)
	if i < 0 {
		return false
	}
	last := len(c.watched) - 1
	c.watched[i] = c.watched[last]
	c.watched[last] = nil
	c.watched = c.watched[:last]
	return true
}

// detach ends the client's presence except in the tubes that it uses and watches:
// the jobs that it holds become ready in the order of their reservation.
func (s *State) detach(b *Batch, _ *Op) Status {
	c := b.Client
	s.sweep()
	s.unwait(c)
	for c.held.N > 0 {
		if !s.step(moving) {
			return More
		}
		slot := c.held.Head
		s.unhold(slot)
		s.giveBack(slot)
	}
	s.unask(c)
	s.dismiss(c)
	return OK
}
