package queue

import "slices"

// applyMembership runs the operations that bind a client to tubes.
func (s *State) applyMembership(c *Client, op *Op) {
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
		s.watch(c, t)
	case Ignore:
		s.ignore(c, s.tubes[string(op.Data)])
	case Detach:
		s.detach(c, op)
	}
}

func (s *State) unuse(c *Client) {
	if t := c.used; t != nil {
		c.used = nil
		t.using--
		s.letGo(t)
	}
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
func (s *State) detach(c *Client, op *Op) {
	s.sweep()
	s.unwait(c)
	for c.held.N > 0 {
		if s.spent() {
			op.Status = More
			return
		}
		s.spend(moving)
		slot := c.held.Head
		s.unhold(slot)
		s.giveBack(slot)
	}
	s.unask(c)
	s.dismiss(c)
}
