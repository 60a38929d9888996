package queue

import "slices"

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
		s.watch(c, t)
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

func (s *State) watch(c *Client, t *tube) {
	t.watching++
	c.watched = append(c.watched, t)
	switch n := len(c.watched); {
	case c.wide != nil:
		c.wide.place[t.slot] = uint32(n - 1)
		t.wide++
	case n > s.Wide:
		c.widen()
	}
}

// ignore lets the last of the tubes take the place of the one that goes.
func (s *State) ignore(c *Client, t *tube) {
	i, last := c.placeOf(t), len(c.watched)-1
	if i < 0 {
		panic("S5: a client ignores a tube that it does not watch")
	}
	if c.wide != nil {
		c.wide.place[c.watched[last].slot] = uint32(i)
		delete(c.wide.place, t.slot)
		t.wide--
	}
	c.watched[i] = c.watched[last]
	c.watched[last] = nil
	c.watched = c.watched[:last]
	if c.wide != nil && last <= s.Wide/2 {
		c.narrow()
	}
	t.watching--
	s.letGo(t)
}

// placeOf is where in c.watched a tube stands, or -1.
func (c *Client) placeOf(t *tube) int {
	if c.wide != nil {
		if i, ok := c.wide.place[t.slot]; ok {
			return int(i)
		}
		return -1
	}
	return slices.Index(c.watched, t)
}

// detach ends the client's presence except in the tubes that it uses and watches:
// the jobs that it holds become ready in the order of their reservation.
func (s *State) detach(now int64, c *Client, op *Op) {
	s.sweep()
	s.unwait(c)
	for c.held.n > 0 {
		if s.spent() {
			op.Status = More
			return
		}
		s.spend(moving)
		slot := c.held.head
		s.unhold(slot)
		s.makeReady(now, slot)
	}
	s.dismiss(c)
}
