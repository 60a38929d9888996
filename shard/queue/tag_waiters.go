package queue

import "slices"

// standIn has a client wait in the line of its tag index.
func (v *tagIndex) standIn(s *State, c *Client) {
	if v.line.N == 0 {
		v.place = len(s.tagIndexes.sought)
		s.tagIndexes.sought = append(s.tagIndexes.sought, v)
	}
	v.line.Push(c, c.linked(), v.line.Tail.linked())
	s.waiting++
}

// standOut takes a client out of the line of its tag index, if it waits there.
func (s *State) standOut(c *Client) {
	v := c.tagIndex()
	if v == nil || !v.line.Has(c, c.linked()) {
		return
	}
	k := c.linked()
	v.line.Remove(k, k.Prev.linked(), k.Next.linked())
	s.waiting--
	if v.line.N == 0 {
		x := s.tagIndexes
		last := len(x.sought) - 1
		x.sought[v.place] = x.sought[last]
		x.sought[v.place].place = v.place
		x.sought[last] = nil
		x.sought = x.sought[:last]
	}
	for _, t := range c.watched {
		if t.opening {
			s.reopen(t)
		}
	}
}

// hasIn says whether a client watches a tube, be they few or many.
func (c *Client) hasIn(t *tube) bool {
	if c.many != nil {
		return c.watches(t)
	}
	return slices.Contains(c.watched, t)
}

// sought are the tag indexes in which somebody waits.
func (s *State) sought() []*tagIndex {
	if s.tagIndexes == nil {
		return nil
	}
	return s.tagIndexes.sought
}

// earlier is the client that has waited longest for a tube among first, if there is one, and those who wait in some
// tag indexes for a job that the tube has.
func (s *State) earlier(first *Client, t *tube, among []*tagIndex) *Client {
	for _, v := range among {
		s.spend(looking)
		if v.tubes[t] == nil {
			continue
		}
		for c := v.line.Head; c != nil && (first == nil || c.arrival < first.arrival); c = c.wish.inLine.Next {
			if s.spend(looking); c.hasIn(t) {
				first = c
			}
		}
	}
	return first
}

// tagWaitersOf counts the clients that wait in tag indexes and watch a tube.
func (s *State) tagWaitersOf(t *tube) (n int) {
	for _, v := range s.sought() {
		for c := v.line.Head; c != nil; c = c.wish.inLine.Next {
			if s.spend(looking); c.hasIn(t) {
				n++
			}
		}
	}
	return n
}
