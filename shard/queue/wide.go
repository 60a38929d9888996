package queue

import "slices"

// A client that watches many tubes here is wide. If it waited in the queue of each,
// or if one search went through all of them for the best job, turns would be long.
// So its wait takes one place, in a queue that all wide clients of the shard share,
// and its search for a job goes on over several turns.
//
// A search must not miss what happens meanwhile: if a job became ready in a tube
// already searched, and the client then waited, that would be a lost wake-up. So
// every operation that makes a job available shows it to the clients that search
// (tell). If a search ends without finding a job, none of the tubes has one.

// usualWide is how many tubes a client may watch before it is wide: to walk
// through as many takes a few microseconds.
const usualWide = 256

// wideSet is what a wide client has beside the list of its tubes.
type wideSet struct {
	place map[uint32]uint32 // of a tube in Client.watched, by the tube's slot

	// its wait
	waits      bool
	prev, next *Client

	// the search that is under way
	seeking bool
	seen    int   // how many tubes have been seen
	best    *tube // of these, and of those that have got a job since
	hasty   bool  // the first that is found will do
}

// wideQueue holds the wide clients that wait, first come, first served.
type wideQueue struct {
	head, tail *Client
}

// widen makes a client wide.
func (c *Client) widen() {
	c.wide = &wideSet{place: make(map[uint32]uint32, 2*len(c.watched))}
	for i, t := range c.watched {
		c.wide.place[t.slot] = uint32(i)
		t.wide++
	}
}

// narrow makes a wide client an ordinary one.
func (c *Client) narrow() {
	for _, t := range c.watched {
		t.wide--
	}
	c.wide = nil
}

// watches is for wide clients.
func (c *Client) watches(t *tube) bool {
	_, ok := c.wide.place[t.slot]
	return ok
}

// push lets a client wait.
func (q *wideQueue) push(c *Client) {
	w := c.wide
	w.waits, w.prev, w.next = true, q.tail, nil
	if q.tail == nil {
		q.head = c
	} else {
		q.tail.wide.next = c
	}
	q.tail = c
}

// remove ends a client's wait.
func (q *wideQueue) remove(c *Client) {
	w := c.wide
	if w.prev == nil {
		q.head = w.next
	} else {
		w.prev.wide.next = w.next
	}
	if w.next == nil {
		q.tail = w.prev
	} else {
		w.next.wide.prev = w.prev
	}
	w.waits, w.prev, w.next = false, nil, nil
}

// seek finds the best tube of a client's, or none. When done is false the turn's
// share is used up, and the operation is to be applied again.
func (s *State) seek(c *Client) (best *tube, done bool) {
	if c.wide == nil {
		s.spend(looking * len(c.watched))
		return c.bestTube(), true
	}
	w := c.wide
	if !w.seeking {
		w.seeking, w.seen, w.best, w.hasty = true, 0, nil, false
		s.seekers = append(s.seekers, c)
	}
	for w.seen < len(c.watched) && !(w.hasty && w.best != nil) {
		if s.spent() {
			return nil, false
		}
		s.spend(looking)
		w.consider(c.watched[w.seen])
		w.seen++
	}
	if w.best != nil && !w.best.offers() {
		// Other clients have taken the best job, and may have taken others. So
		// any job will do now: nobody can say which one was the best, and
		// when.
		w.seen, w.best, w.hasty = 0, nil, true
		return nil, false
	}
	best = w.best
	w.seeking, w.best = false, nil
	s.seekers = slices.DeleteFunc(s.seekers, func(x *Client) bool { return x == c })
	return best, true
}

// consider takes a tube into a search.
func (w *wideSet) consider(t *tube) {
	if t.offers() && (w.best == nil || !w.best.offers() || t.ready.top().before(w.best.ready.top())) {
		w.best = t
	}
}

// tell shows a tube that has a job, for which nobody waits, to the clients that search.
func (s *State) tell(t *tube) {
	if t.wide == 0 || !t.offers() {
		return
	}
	for _, c := range s.seekers {
		s.spend(looking)
		if c.watches(t) {
			c.wide.consider(t)
		}
	}
}
