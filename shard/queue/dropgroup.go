package queue

// askDropGroup ends a group. Its consumers are told that they are replaced, and what was
// pending becomes ready without being counted. The queue's next watch names a new one.
func (s *State) askDropGroup(now int64, op *Op) {
	op.Status = OK
	a := op.Ask
	if a.group == nil {
		v := s.serviceNamed(a)
		if a.group = v.groupNamed(a.Group); a.group == nil {
			op.Status = NotFound
			return
		}
		v.first = nil
		s.logQueue(v)
	}
	g := a.group
	for len(g.consumers) > 0 {
		if s.spent() {
			op.Status = More
			return
		}
		s.spend(moving)
		s.dropConsumer(now, g.consumers[len(g.consumers)-1])
	}
	a.group = nil
	s.letGo(g.service.tube)
}

// dropConsumer does one step to end a consumer whatever it has.
func (s *State) dropConsumer(now int64, c *consumer) {
	switch slot := c.client.held.head; {
	case c.to != nil:
		c.to.Replaced()
		s.disconnect(now, c)
	case slot != 0:
		s.unhold(slot)
		s.makeReady(now, slot)
	default:
		s.forgetConsumer(c)
	}
}
