package queue

// waitEntry is one client's place in the queue of one tube. The entries of a
// client are chained, so that ending a wait costs what beginning it cost.
type waitEntry struct {
	client     *Client
	tube       *tube
	prev, next *waitEntry // in the tube's queue
	sibling    *waitEntry // the client's next entry, or the free list's
}

// waitQueue serves clients first come, first served.
type waitQueue struct {
	head, tail *waitEntry
	n          int
}

// live counts the clients that really wait. Those whose wait has just ended in
// another shard stand here until they are withdrawn.
func (q *waitQueue) live() (n int) {
	for e := q.head; e != nil; e = e.next {
		if e.client.Waiter.Waits(e.client.ticket) {
			n++
		}
	}
	return n
}

// wait registers the client at all tubes it watches in this shard.
func (s *State) wait(c *Client, ticket uint64) {
	c.ticket = ticket
	for _, t := range c.watched {
		e := s.freeWaits
		if e == nil {
			e = new(waitEntry)
		} else {
			s.freeWaits = e.sibling
		}
		*e = waitEntry{client: c, tube: t, prev: t.waiters.tail, sibling: c.waits}
		c.waits = e
		if e.prev == nil {
			t.waiters.head = e
		} else {
			e.prev.next = e
		}
		t.waiters.tail = e
		t.waiters.n++
	}
	s.waiting += len(c.watched)
}

// unwait takes the client out of all queues (R3).
func (s *State) unwait(c *Client) {
	for e := c.waits; e != nil; {
		q := &e.tube.waiters
		if e.prev == nil {
			q.head = e.next
		} else {
			e.prev.next = e.next
		}
		if e.next == nil {
			q.tail = e.prev
		} else {
			e.next.prev = e.prev
		}
		q.n--
		s.waiting--
		following := e.sibling
		*e = waitEntry{sibling: s.freeWaits}
		s.freeWaits = e
		e = following
	}
	c.waits = nil
}

// match serves the waiters of one tube until it has no waiter or no job.
func (s *State) match(now int64, t *tube) {
	for t.waiters.head != nil && t.ready.n > 0 && !t.shut() {
		s.serve(now, t)
	}
}

// serve gives the tube's best job to its first waiter. A waiter whose wait
// has ended elsewhere leaves all queues of this shard instead (R3).
func (s *State) serve(now int64, t *tube) {
	c := t.waiters.head.client
	s.unwait(c)
	if !c.Waiter.Claim(c.ticket) {
		return
	}
	s.deliver(now, c, t)
}
