package queue

// applyMembership runs the operations that bind a client to tubes.
func (s *State) applyMembership(now int64, c *Client, op *Op) {
	op.Status = OK
	switch op.Kind {
	case Use:
		t := s.tubeNamed(op.Data)
		t.using++
		s.unuse(c)
		c.used = t
	case Unuse:
		s.unuse(c)
	case Watch:
		t := s.tubeNamed(op.Data)
		t.watching++
		c.watched = append(c.watched, t)
	case Ignore:
		s.ignore(c, s.tubes[string(op.Data)])
	case Detach:
		s.detach(now, c, op)
	}
}

func (s *State) unuse(c *Client) {
	if t := c.used; t != nil {
		c.used = nil
		t.using--
		s.letGo(t)
	}
}

// ignore keeps the order of the others the way a removal from the reference's
// set does: the last takes the hole.
func (s *State) ignore(c *Client, t *tube) {
	for i, w := range c.watched {
		if w == t {
			last := len(c.watched) - 1
			c.watched[i] = c.watched[last]
			c.watched[last] = nil
			c.watched = c.watched[:last]
			t.watching--
			s.letGo(t)
			return
		}
	}
	panic("S5: a client ignores a tube that it does not watch")
}

// detach ends the client's presence but for the tubes it uses and watches:
// the jobs that it holds become ready in the order of their reservation.
func (s *State) detach(now int64, c *Client, op *Op) {
	s.unwait(c)
	for n := 0; c.held.n > 0; n++ {
		if n == Slice {
			op.Status = More
			return
		}
		slot := c.held.head
		s.unhold(slot)
		s.makeReady(now, slot)
	}
	s.dismiss(c)
}
