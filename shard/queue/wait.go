package queue

import (
	"bytes"

	"beanfield/shard/queue/cells"
)

// waitEntry is one client's place in the queue of one tube. The entries of a
// client are chained, so that ending a wait costs what beginning it cost.
type waitEntry struct {
	tube    *tube
	place   cells.Node[*Client] // in the tube's queue
	sibling *waitEntry          // the client's next entry, or the free list's
}

// wait registers the client at all tubes it watches in this shard.
func (s *State) wait(c *Client, ticket uint64) {
	s.arrivals++
	c.ticket, c.arrival = ticket, s.arrivals
	if v := c.tagIndex(); v != nil {
		v.standIn(s, c)
		return
	}
	if c.many != nil {
		s.manyWaits.Join(&c.many.inLine, c)
		s.waiting++
		return
	}
	for _, t := range c.watched {
		e := s.freeWaits
		if e == nil {
			e = new(waitEntry)
		} else {
			s.freeWaits = e.sibling
		}
		*e = waitEntry{tube: t, sibling: c.waits}
		c.waits = e
		t.waiters.Join(&e.place, c)
	}
	s.waiting += len(c.watched)
	s.spend(looking * len(c.watched))
}

// unwait takes the client out of all queues (R3).
func (s *State) unwait(c *Client) {
	if c.room != nil {
		s.giveUpRoom(c)
	}
	if c.wish != nil {
		s.standOut(c)
	}
	if c.many != nil && s.manyWaits.In(&c.many.inLine) {
		s.manyWaits.Leave(&c.many.inLine)
		s.waiting--
	}
	for e := c.waits; e != nil; {
		q := &e.tube.waiters
		q.Leave(&e.place)
		if q.N == 0 && e.tube.opening {
			s.reopen(e.tube)
		}
		s.waiting--
		s.spend(looking)
		following := e.sibling
		*e = waitEntry{sibling: s.freeWaits}
		s.freeWaits = e
		e = following
	}
	c.waits = nil
}

// sweep takes clients out of the queues if their wait has ended elsewhere and they
// have not withdrawn yet. It reports false if there are more of them than one turn
// can handle.
func (s *State) sweep() bool {
	if s.Ended != nil {
		s.ended = s.Ended(s.ended)
	}
	for ; len(s.ended) > 0 && !s.spent(); s.spend(looking) {
		last := len(s.ended) - 1
		c := s.ended[last]
		s.ended[last] = nil
		s.ended = s.ended[:last]
		if !c.Waiter.Waits(c.ticket) && !c.makes() {
			s.unwait(c)
		}
	}
	return len(s.ended) == 0
}

// waitersOf counts the clients that wait for a tube.
func (s *State) waitersOf(t *tube) int {
	n := t.waiters.N
	if s.tagIndexes != nil {
		n += s.tagWaitersOf(t)
	}
	if t.byMany == 0 {
		return n
	}
	for c := range s.manyWaits.All() {
		s.spend(looking)
		if c.watches(t) {
			n++
		}
	}
	return n
}

// firstWaiter is the client that has waited longest for a tube, or for a job with certain tags that it has; nil if
// there is none. Only some tag indexes may have to be looked at.
func (s *State) firstWaiter(t *tube, sought []*tagIndex) *Client {
	first := s.firstOfAll(t)
	if sought != nil {
		first = s.earlier(first, t, sought)
	}
	return first
}

// firstOfAll is the first of those who take any job.
func (s *State) firstOfAll(t *tube) *Client {
	first := t.waiters.First()
	if t.byMany == 0 {
		return first
	}
	for c := range s.manyWaits.All() {
		if first != nil && c.arrival > first.arrival {
			break
		}
		s.spend(looking)
		if c.watches(t) {
			return c
		}
	}
	return first
}

// match serves the waiters of one tube that has got a job until it has no waiter or no job for one. Of those who ask
// for tags, only those in certain tag indexes may be served.
func (s *State) match(t *tube, sought []*tagIndex) {
	for t.offers() {
		c := s.firstWaiter(t, sought)
		if c == nil {
			s.tell(t)
			return
		}
		s.serve(c, t)
	}
}

// serve gives the tube's best job to a waiter. One whose wait has ended elsewhere
// leaves all queues of this shard instead (R3).
func (s *State) serve(c *Client, t *tube) {
	s.unwait(c)
	if c.consumer != nil {
		s.serveConsumer(c.consumer, t)
		return
	}
	if c.Waiter.Claim(c.ticket) {
		s.deliver(c, t)
	}
}

// Waiter is a connection as a shard sees it. The gate behind Arm and Claim is
// the one word that decides who ends a wait (R1).
type Waiter interface {
	// Arm begins a wait and returns its ticket.
	Arm() (ticket uint64)
	// Waits says whether the wait with that ticket is still on.
	Waits(ticket uint64) bool
	// Claim tries to end the wait with that ticket. If it returns true the caller,
	// and only the caller, delivers.
	Claim(ticket uint64) bool
	// Deliver hands over the job. The body's small part is valid during the
	// call only.
	Deliver(d Delivery)
	// Wake says that the delivery has been committed and may be sent, or that
	// the log has failed and it may not. body is what Deliver could not give.
	Wake(ok bool, body []byte)
}

// Awakening is a waiter that has been given a job and does not know it yet.
type Awakening struct {
	Waiter Waiter
	Client *Client // that holds the job now
	Fetch  uint64  // the job whose body is to be read from the log, or 0
	Body   []byte  // what has been read
	Lost   bool    // or that it could not be
}

// About is what a reserve with options is told of its job beside the body.
type About struct {
	Tube     string
	Reserves uint32
	Tags     Tags
}

// about is that of a job which the client has got; nil if it has not asked to be told.
func (s *State) about(c *Client, slot uint32) *About {
	if c.wish == nil || !c.wish.tells {
		return nil
	}
	j := s.job(slot)
	return &About{s.tubeOf(j).name, s.rare(j).Reserves, bytes.Clone(s.tagsOf(slot))}
}

// Delivery is a job handed to a waiter.
type Delivery struct {
	ID       uint64
	Size     uint32
	Small    []byte
	Large    [][]byte
	Deadline int64  // soonest of all jobs that the waiter holds in this shard
	Away     bool   // the body comes with Wake
	Status   Status // OK; of a put that has waited, how it ended
	About    *About
}

// deliver gives the tube's best job to a client whose wait it has claimed.
func (s *State) deliver(c *Client, t *tube) {
	slot := s.handOver(c, t)
	j := s.job(slot)
	d := Delivery{ID: j.id(), Size: j.size, Deadline: c.soonest()}
	if c.wish != nil {
		d.About = s.about(c, slot)
	}
	woken := Awakening{Waiter: c.Waiter, Client: c}
	if j.away() {
		d.Away, woken.Fetch = true, j.id()
	} else {
		d.Small, d.Large = s.bodies.Get(j.body, j.size)
	}
	c.Waiter.Deliver(d)
	s.Woken = append(s.Woken, woken)
}
