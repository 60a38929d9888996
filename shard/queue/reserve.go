package queue

// reserve is the whole command when all watched tubes are in this shard: it
// hands out the best job, or refuses, or registers the client as a waiter.
func (s *State) reserve(b *Batch, op *Op) {
	c := b.contender()
	t, done := s.seekWished(c, op)
	switch soonest := c.soonest(); {
	case !done:
		op.Status = More
	case t != nil:
		s.take(b, op, t)
	case soonest != 0 && s.now >= soonest-Margin:
		op.Status = DeadlineSoon
	case op.Poll:
		op.Status = TimedOut
	default:
		op.Status = Waiting
		s.wait(c, c.Waiter.Arm())
	}
}

// take reserves the best job of t as the answer to op.
func (s *State) take(b *Batch, op *Op, t *tube) {
	b.Client.charge(t)
	slot := b.Client.fitting(t).Top().Slot
	s.unready(slot)
	s.hold(b.Client, slot)
	s.show(b, op, slot)
	op.Tube = t.name
}

// applyReserving runs the operations of a reserve that are not on the shortest
// way. Package router tells how Offer, Claim, Wait and Withdraw work together.
func (s *State) applyReserving(b *Batch, op *Op) {
	switch op.Kind {
	case ReserveJob:
		s.reserveJob(b, op)
	case Offer, Claim, Wait:
		if t, done := s.seekWished(b.contender(), op); done {
			s.applyTo(b, op, t)
		} else {
			op.Status = More
		}
	case Withdraw:
		s.sweep()
		if b.Client.ticket == op.Ticket {
			s.unwait(b.Client)
		}
		op.Status = OK
	case Soonest:
		op.Status = OK
	}
}

// applyTo runs an operation that concerns the best tube; t is nil if no tube has
// a job.
func (s *State) applyTo(b *Batch, op *Op, t *tube) {
	switch {
	case op.Kind == Wait:
		s.waitFor(b.Client, op, t)
	case t == nil:
		op.Status = Empty
	case op.Kind == Offer: // binds nobody
		top := s.headFor(b.Client, t)
		op.Status, op.Ticket = OK, b.Client.look(t)
		op.Pri = uint32(top.Major >> 32)
		op.ID = top.Major<<32 | uint64(top.Minor)
	default: // Claim; the job may by now be another than was offered
		s.take(b, op, t)
	}
}

// waitFor registers the client with a ticket that the router has drawn for
// several shards. A job that has come since the offers is delivered at once,
// through the gate like any other. One whose wait is over takes no place: the shard
// may have looked for those who have left already, and would count it as waiting.
func (s *State) waitFor(c *Client, op *Op, t *tube) {
	op.Status = Waiting
	switch {
	case t != nil && c.Waiter.Claim(op.Ticket):
		s.deliver(c, t)
	case t == nil && c.Waiter.Waits(op.Ticket):
		s.wait(c, op.Ticket)
	}
}

// reserveJob takes one job by its id, wherever it is, unless it is reserved.
func (s *State) reserveJob(b *Batch, op *Op) {
	slot := s.jobFor(b, op)
	if slot == 0 {
		return
	}
	if s.job(slot).state() == Reserved {
		op.Status = NotFound
		return
	}
	s.unplace(slot)
	s.hold(b.Client, slot)
	s.show(b, op, slot)
	s.seen(slot)
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
