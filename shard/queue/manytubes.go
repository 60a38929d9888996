package queue

import (
	"slices"

	"beanfield/shard/queue/cells"
	"beanfield/shard/queue/policy"
)

// A client may watch many tubes here. If it waited in the queue of each,
// or if one search went through all of them for the best job, turns would be long.
// So its wait takes one place, in a queue that all such clients of the shard share,
// and its search for a job goes on over several turns.
//
// A search must not miss what happens meanwhile: if a job became ready in a tube
// already searched, and the client then waited, that would be a lost wake-up. So
// every operation that makes a job available shows it to the clients that search
// (tell). If a search ends without finding a job, none of the tubes has one (S7).
//
// Every search ends, whatever others do. It has two passes. The first looks at
// every tube once, for the best job. It ends with that job, or without one if there
// has never been any. If other clients have taken that job meanwhile, the second
// pass takes the first job that it sees. There is no third pass. In the second, the
// tubes before seen offer nothing: one that gets a job moves behind seen and is the
// next to be looked at, which the operation that brought the job has paid for. So
// the tubes that the pass has still to look at for the first time become fewer in
// every turn: each run of a batch has enough for one step (leastShare), and other
// clients cannot add to them. A search of n tubes makes at most 2n steps, and finds
// a job that is there all the time. After a search without a job, a client that is
// to wait has its place in the queue, where nobody passes it.

// usualMany is how many tubes a client may watch before they are many: to walk
// through as many takes a few microseconds.
const usualMany = 256

// manyTubes is what only a client of many tubes has.
type manyTubes struct {
	tubes cells.Pages[*tube] // in no particular order
	place map[uint32]uint32  // of a tube in tubes, by the tube's slot

	inLine cells.Node[*Client] // while it waits

	// the search that is under way
	seeking bool
	seen    uint32   // how many tubes have been seen: the first in tubes
	best    *tube    // first pass: of these, and of those that have got a job since
	top     standing // first pass: that of its best job when it was last considered
	unsure  bool     // first pass: that job was taken, so nobody can say which is best now
	hasty   bool     // second pass: the first that is found will do
	again   uint32   // second pass: how many of the next had been seen already
}

// watchMany makes a client one of many tubes.
func (c *Client) watchMany() {
	w := &manyTubes{place: make(map[uint32]uint32, 2*len(c.watched))}
	for _, t := range c.watched {
		w.add(t)
	}
	c.many, c.watched = w, nil
}

// watchFew makes it an ordinary one again.
func (c *Client) watchFew() {
	for w := c.many; w.tubes.N > 0; {
		t := w.tubes.Pop()
		t.byMany--
		c.watched = append(c.watched, t)
	}
	c.many = nil
}

// add puts in a tube that is not there.
func (w *manyTubes) add(t *tube) {
	w.place[t.slot] = w.tubes.N
	w.tubes.Push(t)
	t.byMany++
}

// remove takes a tube out. The last takes its place.
func (w *manyTubes) remove(t *tube) (found bool) {
	i, found := w.place[t.slot]
	if !found {
		return false
	}
	w.move(w.tubes.Get(w.tubes.N-1), i)
	w.tubes.Pop()
	delete(w.place, t.slot)
	t.byMany--
	return true
}

// move makes t the tube at i.
func (w *manyTubes) move(t *tube, i uint32) {
	w.tubes.Set(i, t)
	w.place[t.slot] = i
}

// watches is for clients of many tubes.
func (c *Client) watches(t *tube) bool {
	_, ok := c.many.place[t.slot]
	return ok
}

// seekWished is seek for what a reserve asks for.
func (s *State) seekWished(b *Batch, op *Op) (best *tube, done bool) {
	c := b.contender()
	if (c.wish != nil || op.Options != nil) && !s.asks(c, op) {
		return nil, false
	}
	return s.seek(c)
}

// seek finds the best tube of a client's, or none. When done is false the turn's
// share is used up, and the operation is to be applied again.
func (s *State) seek(c *Client) (best *tube, done bool) {
	if c.many == nil {
		s.spend(looking * len(c.watched))
		return s.bestTube(c), true
	}
	w := c.many
	if !w.seeking {
		w.seeking, w.seen, w.best, w.unsure, w.hasty, w.again = true, 0, nil, false, false, 0
		s.seekers = append(s.seekers, c)
	}
	if !w.hasty {
		if best, done = s.seekBest(c); !done {
			return nil, false
		}
		if best != nil && !c.offered(best) {
			// Other clients have taken the best job, and may have taken others. So
			// any job will do now: nobody can say which one was the best, and
			// when.
			w.seen, w.best, w.hasty = 0, nil, true
		}
	}
	if w.hasty {
		if best, done = s.seekAny(c); !done {
			return nil, false
		}
	}
	w.seeking, w.best = false, nil
	s.seekers = slices.DeleteFunc(s.seekers, func(x *Client) bool { return x == c })
	return best, true
}

// seekBest is the first pass of a search.
func (s *State) seekBest(c *Client) (best *tube, done bool) {
	w := c.many
	for ; w.seen < w.tubes.N; w.seen++ {
		if !s.step(looking) {
			return nil, false
		}
		s.compareTo(c, w.tubes.Get(w.seen))
	}
	return w.best, true
}

// seekAny is the second.
func (s *State) seekAny(c *Client) (any *tube, done bool) {
	w := c.many
	for ; w.seen < w.tubes.N; w.seen++ {
		switch {
		case w.again > 0:
			w.again-- // tell has spent what this costs: others cannot hold us here for ever
		case !s.step(looking):
			return nil, false
		}
		if t := w.tubes.Get(w.seen); c.offered(t) {
			return t, true
		}
	}
	return nil, true
}

// compareTo takes a tube into the first pass.
func (s *State) compareTo(c *Client, t *tube) {
	w := c.many
	if !c.offered(t) {
		c.look(t)
		return
	}
	w.unsure = w.unsure || !s.intact(c)
	at := s.standing(c, t)
	if w.best == nil || w.best == t || !c.offered(w.best) || at.before(s.standing(c, w.best)) {
		w.best, w.top = t, at
	}
}

// intact says that nobody has taken the best job of the best tube since that tube was
// considered. Check needs this: another tube's job may be better than what is left.
func (s *State) intact(c *Client) bool {
	w := c.many
	return w.best == nil || c.offered(w.best) && !w.top.before(s.standing(c, w.best))
}

// tell shows a tube that has a job, for which nobody waits, to the clients that search.
func (s *State) tell(t *tube) {
	if t.byMany == 0 || !t.offers() {
		return
	}
	for _, c := range s.seekers {
		s.spend(looking)
		if c.watches(t) && c.offered(t) {
			s.lookAlso(c, t)
		}
	}
}

// lookAlso brings a tube that has got a job into the client's search.
func (s *State) lookAlso(c *Client, t *tube) {
	w := c.many
	if !w.hasty {
		s.compareTo(c, t)
		return
	}
	i := w.place[t.slot]
	if i >= w.seen {
		return // its turn will come
	}
	w.seen--
	w.again++
	w.move(w.tubes.Get(w.seen), i)
	w.move(t, w.seen)
}

// look tells the client's fair scheduler of a tube that it looks at. It returns the tag of one that has a job to offer.
func (c *Client) look(t *tube) (tag uint64) {
	switch {
	case c.fair == nil:
	case c.offered(t):
		return c.fair.Tag(t.name)
	default:
		c.fair.Idle(t.name)
	}
	return 0
}

// charge counts a job that the client has got from a tube.
func (c *Client) charge(t *tube) {
	if c.fair != nil {
		c.bill(t) // a call of its own, so that this one is inlined
	}
}

func (c *Client) bill(t *tube) { c.fair.Charge(t.name, t.price()) }

// price is what a job of the tube costs it.
func (t *tube) price() uint64 {
	if t.policy == nil {
		return policy.Worth
	}
	return policy.Price(t.policy.Weight)
}

// standing is a tube's place among those that have a job for somebody.
type standing struct {
	tag uint64
	top cells.Entry
}

// standing is that of a tube which offers a job.
func (s *State) standing(c *Client, t *tube) standing { return standing{c.look(t), s.headFor(c, t)} }

// before says whose turn comes first.
func (a standing) before(b standing) bool {
	if d := int64(a.tag - b.tag); d != 0 {
		return d < 0
	}
	return a.top.Before(b.top)
}

// winner is the tube whose turn it is, or nil.
func (s *State) winner(c *Client) (best *tube) {
	var first standing
	for _, t := range c.watched {
		if !c.offered(t) {
			c.look(t)
		} else if at := s.standing(c, t); best == nil || at.before(first) {
			best, first = t, at
		}
	}
	return best
}

// contender is the client of a batch that reserves.
func (b *Batch) contender() *Client {
	if b.Client.fair != b.FairScheduler {
		b.Client.fair = b.FairScheduler
	}
	return b.Client
}
