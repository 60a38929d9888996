package queue

// reserve is the whole command when all watched tubes are in this shard: it
// hands out the best job, or refuses, or registers the client as a waiter.
func (s *State) reserve(b *Batch, op *Op) Status {
	t, done := s.seekWished(b, op)
	switch {
	case !done:
		return More
	case t != nil:
		return s.take(b, op, t)
	}
	return s.nothingFor(b.Client, op)
}

// nothingFor refuses a reserve that has found nothing, or registers the client as a waiter.
func (s *State) nothingFor(c *Client, op *Op) Status {
	switch soonest := c.soonest(); {
	case soonest != 0 && s.now >= soonest-Margin:
		return DeadlineSoon
	case op.Poll:
		return TimedOut
	}
	s.wait(c, c.Waiter.Arm())
	return Waiting
}

// take reserves the best job of t as the answer to op.
func (s *State) take(b *Batch, op *Op, t *tube) Status {
	s.show(b, op, s.handOver(b.Client, t))
	op.Tube = t.name
	return OK
}

// handOver gives a client the best job of t.
func (s *State) handOver(c *Client, t *tube) (slot uint32) {
	c.charge(t)
	slot = c.fitting(t).Top().Slot
	s.unready(slot)
	s.hold(c, slot)
	return slot
}

// Package router tells how Offer, Claim, Wait and Withdraw work together.

// offer shows the best job, and binds nobody.
func (s *State) offer(b *Batch, op *Op) Status {
	t, done := s.seekWished(b, op)
	switch {
	case !done:
		return More
	case t == nil:
		return Empty
	}
	at := s.standing(b.Client, t)
	op.Tag, op.Pri, op.ID = at.tag, uint32(at.top.Major>>32), at.top.Major<<32|uint64(at.top.Minor)
	return OK
}

// claim takes the best job, which may by now be another than was offered.
func (s *State) claim(b *Batch, op *Op) Status {
	t, done := s.seekWished(b, op)
	switch {
	case !done:
		return More
	case t == nil:
		return Empty
	}
	return s.take(b, op, t)
}

// waitFor registers the client with a ticket that the router has drawn for
// several shards. A job that has come since the offers is delivered at once,
// through the gate like any other. One whose wait is over takes no place: the shard
// may have looked for those who have left already, and would count it as waiting.
func (s *State) waitFor(b *Batch, op *Op) Status {
	t, done := s.seekWished(b, op)
	switch c := b.Client; {
	case !done:
		return More
	case t != nil && c.Waiter.Claim(b.Ticket):
		s.deliver(c, t)
	case t == nil && c.Waiter.Waits(b.Ticket):
		s.wait(c, b.Ticket)
	}
	return Waiting
}

func (s *State) withdraw(b *Batch, _ *Op) Status {
	s.sweep()
	if b.Client.ticket == b.Ticket {
		s.unwait(b.Client)
	}
	return OK
}

// askSoonest is for the answer that each batch has.
func (s *State) askSoonest(*Batch, *Op) Status { return OK }

// reserveJob takes one job by its id, wherever it is, unless it is reserved.
func (s *State) reserveJob(b *Batch, op *Op) Status {
	slot, status := s.jobFor(b, op)
	if slot == 0 {
		return status
	}
	if s.job(slot).state() == Reserved {
		return NotFound
	}
	s.unplace(slot)
	s.hold(b.Client, slot)
	s.show(b, op, slot)
	s.seen(slot)
	return OK
}

// bestTube is the watched, open tube with the smallest (priority, id), or whose turn it is, of a
// client that watches few tubes.
func (s *State) bestTube(c *Client) *tube {
	if c.fair != nil || c.tagIndex() != nil {
		return s.winner(c)
	}
	var best *tube
	for _, t := range c.watched {
		if t.offers() && (best == nil || s.head(t).Before(s.head(best))) {
			best = t
		}
	}
	return best
}
