package queue

import (
	"bytes"
	"slices"

	"beanfield/shard/queue/cells"
)

// A reserve may ask for jobs with certain tags. To look for them among all ready jobs would take as
// long as there are others, each time. So there is a sieve for the tags that a client asks for: it has the
// ready jobs of the shard that have these tags, tube by tube in the order in which tubes hand jobs out. For
// such a client these are the jobs that a tube offers (fitting), and all else is as for others: fair schedulers,
// rate limits, pauses, searches through many tubes.
//
// A sieve is begun by the first client that asks for its tags, and filled in shares: a cursor goes through
// the records of jobs, and jobs that become ready meanwhile are taken in at once. Until it is whole, the
// operations that need it end with More. It stays while one of those who asked for its tags is connected and
// asks for no others, so that a worker's next reserve finds it filled. It costs about 20 bytes for each ready job
// that has the tags. While there are no sieves, jobs pay for them with one look at a nil pointer.
//
// Those who wait for tags wait in their sieve's line, and in no tube's. A job that becomes ready
// finds the sieves that it falls into by its own pairs of tags, so it is shown to nobody who wants others.
// Of all who want it, in tubes' lines or sieves', it goes to who has waited longest.

// sieve has the ready jobs with certain tags.
type sieve struct {
	tags  Tags
	pair  string // its first pair, under which it is filed
	marks uint64 // of tags
	users int    // clients that have asked for these tags last
	tubes map[*tube]*ranking
	at    cells.Positions // of all these rankings

	cursor, end uint32 // the records of jobs that are still to be looked at

	line  cells.List[*Client] // of those who wait, in the order in which they came
	place int                 // in sieves.sought, if there are any
}

// sieves are those of a shard.
type sieves struct {
	of     map[string]*sieve   // by tags
	by     map[string][]*sieve // by their first pairs
	sought []*sieve            // those with a line
}

// wish is what a client has that has asked for tags, or to be told more of jobs, with its reserves.
type wish struct {
	tells  bool                 // the reserve that it makes, or waits in, asks to be told more
	sieve  *sieve               // of the tags that this reserve asks for; nil if it takes any job
	kept   *sieve               // of those that it asked for last
	inLine cells.Links[*Client] // of the sieve
}

// sieve is that of the tags that the client asks for just now; nil if it takes any job.
func (c *Client) sieve() *sieve {
	if c.wish == nil {
		return nil
	}
	return c.wish.sieve
}

func (c *Client) linked() *cells.Links[*Client] {
	if c == nil {
		return nil
	}
	return &c.wish.inLine
}

// asks notes what a client's reserve asks for. It reports false if another turn is needed until its jobs
// are known.
func (s *State) asks(c *Client, op *Op) (known bool) {
	w := c.wish
	switch {
	case op.Terms == nil && w == nil:
		return true
	case op.Terms == nil:
		w.tells, w.sieve = false, nil
		return true
	case w == nil:
		w = new(wish)
		c.wish = w
	}
	w.tells, w.sieve = true, nil
	if want := op.Terms.Tags; len(want) > 0 {
		if w.kept == nil || !bytes.Equal(w.kept.tags, want) {
			s.unask(c)
			w.kept = s.sieveOf(want)
			w.kept.users++
		}
		w.sieve = w.kept
	}
	return w.sieve == nil || s.fill(w.sieve)
}

// unask lets go of the sieve that a client has asked for last.
func (s *State) unask(c *Client) {
	if c.wish == nil || c.wish.kept == nil {
		return
	}
	v := c.wish.kept
	c.wish.kept, c.wish.sieve = nil, nil
	if v.users--; v.users > 0 {
		return
	}
	x := s.sieves
	delete(x.of, string(v.tags))
	if x.by[v.pair] = slices.DeleteFunc(x.by[v.pair], func(o *sieve) bool { return o == v }); len(x.by[v.pair]) == 0 {
		delete(x.by, v.pair)
	}
	if len(x.of) == 0 {
		s.sieves = nil
	}
}

// sieveOf finds the sieve of some tags, or begins it.
func (s *State) sieveOf(tags Tags) *sieve {
	if s.sieves == nil {
		s.sieves = &sieves{of: map[string]*sieve{}, by: map[string][]*sieve{}}
	}
	v := s.sieves.of[string(tags)]
	if v == nil {
		v = &sieve{tags: bytes.Clone(tags), marks: tags.marks(), tubes: map[*tube]*ranking{}, end: uint32(s.jobs.Chunks()) << cells.ChunkShift}
		for pair := range tags.pairs() {
			v.pair = string(pair)
			break
		}
		s.sieves.of[string(tags)], s.sieves.by[v.pair] = v, append(s.sieves.by[v.pair], v)
	}
	return v
}

// whole says that a sieve has all that belongs into it.
func (v *sieve) whole() bool { return v.cursor == v.end }

// fill goes on with what was ready before the sieve was begun. It reports false if there is more of that.
func (s *State) fill(v *sieve) bool {
	for v.cursor < v.end {
		if s.spent() {
			return false
		}
		from, slot := v.cursor, s.jobs.Following(v.cursor)
		if slot%passing == 0 || slot/passing != from/passing {
			s.spend(looking)
		}
		if v.cursor = slot; slot>>cells.ChunkShift != from>>cells.ChunkShift {
			continue
		}
		if j := s.jobs.At(slot); j.state() == Ready && j.trail != 0 && !s.interred(slot) {
			if s.spend(reaching); s.jobHas(slot, v.tags) {
				s.spend(moving / 2)
				v.keep(s, s.tubeAt.Get(j.tube()), slot)
			}
		}
		v.cursor++
	}
	return true
}

// keep takes in a ready job that has the tags.
func (v *sieve) keep(s *State, t *tube, slot uint32) {
	r := v.tubes[t]
	if r == nil {
		r = new(ranking)
		v.tubes[t] = r
	}
	r.add(&v.at, s.placeKey(t, slot), s.jobs.At(slot).size)
}

// drop takes out a job that is no longer ready, unless it was never taken in.
func (v *sieve) drop(t *tube, slot, size uint32) {
	r := v.tubes[t]
	if r == nil {
		return
	}
	if r.remove(&v.at, slot, size); r.heap.N == 0 {
		delete(v.tubes, t)
	}
}

// falls calls do with all sieves that a job falls into.
func (s *State) falls(slot uint32, do func(v *sieve)) {
	tags := s.jobTags(slot)
	if len(tags) == 0 {
		return
	}
	marks := tags.marks()
	for pair := range tags.pairs() {
		for _, v := range s.sieves.by[string(pair)] {
			if s.spend(looking); v.marks&^marks == 0 && s.jobHas(slot, v.tags) {
				do(v)
			}
		}
	}
}

// sift is told of a job that has become ready. It finds the sieves with the job in which somebody waits.
func (s *State) sift(t *tube, slot uint32) (sought []*sieve) {
	s.falls(slot, func(v *sieve) {
		if v.keep(s, t, slot); v.line.N > 0 {
			sought = append(sought, v)
		}
	})
	return sought
}

// unsift is told of a job that is about to be ready no longer.
func (s *State) unsift(t *tube, slot uint32) {
	s.falls(slot, func(v *sieve) { v.drop(t, slot, s.jobs.At(slot).size) })
}

// unsiftAll is told that no job of a tube is ready any more.
func (s *State) unsiftAll(t *tube) {
	for _, v := range s.sieves.of {
		s.spend(looking)
		delete(v.tubes, t)
	}
}

// resift follows a change of the order of a tube's jobs.
func (s *State) resift(t *tube) {
	if s.sieves == nil {
		return
	}
	for _, v := range s.sieves.of {
		old := v.tubes[t]
		if old == nil {
			continue
		}
		s.spend(moving / 4 * int(old.heap.N))
		delete(v.tubes, t)
		for i := range old.heap.N {
			v.keep(s, t, old.heap.At(i).Slot)
		}
	}
}

// fitting are the ready jobs of a tube that a client asks for; nil if there are none.
func (c *Client) fitting(t *tube) *cells.Heap {
	v := c.sieve()
	switch {
	case v == nil && t.ready.N > 0:
		return &t.ready
	case v != nil && v.tubes[t] != nil:
		return &v.tubes[t].heap
	}
	return nil
}

// offered says that a client may take a job from a tube now.
func (c *Client) offered(t *tube) bool { return c.fitting(t) != nil && !t.shut() }

// headFor is the best job of a tube that offers one to a client, as it compares with those of other tubes.
func (s *State) headFor(c *Client, t *tube) cells.Entry {
	if c.sieve() == nil {
		return s.head(t)
	}
	e := c.fitting(t).Top()
	if t.isAging() {
		return s.compared(t, e.Slot)
	}
	return e
}
