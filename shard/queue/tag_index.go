package queue

import (
	"bytes"
	"slices"

	"beanfield/shard/queue/cells"
)

// A reserve may ask for jobs with certain tags. To look for them among all ready jobs would take as
// long as there are others, each time. So there is a tag index for the tags that a client asks for: it has the
// ready jobs of the shard that have these tags, tube by tube in the order in which tubes hand jobs out. For
// such a client these are the jobs that a tube offers (fitting), and all else is as for others: fair schedulers,
// rate limits, pauses, searches through many tubes.
//
// A tag index is begun by the first client that asks for its tags, and filled in shares: a cursor goes through
// the records of jobs, and jobs that become ready meanwhile are taken in at once. Until it is whole, the
// operations that need it end with More. It stays while one of those who asked for its tags is connected and
// asks for no others, so that a worker's next reserve finds it filled. It costs about 20 bytes for each ready job
// that has the tags. While there are no tag indexes, jobs pay for them with one look at a nil pointer.
//
// Those who wait for tags wait in their tag index's line, and in no tube's. A job that becomes ready
// finds the tag indexes that it falls into by its own pairs of tags, so it is shown to nobody who wants others.
// Of all who want it, in tubes' lines or tag indexes', it goes to who has waited longest.

// tagIndex has the ready jobs with certain tags.
type tagIndex struct {
	tags  Tags
	pair  string // its first pair, under which it is filed
	marks uint64 // of tags
	users int    // clients that have asked for these tags last
	tubes map[*tube]*cells.Ranking
	at    cells.Positions // of all these rankings

	cursor uint32 // the next record of a job to be looked at; 0 if all have been

	line  cells.Line[*Client] // of those who wait, in the order in which they came
	place int                 // in tagIndexes.sought, if there are any
}

// tagIndexes are those of a shard.
type tagIndexes struct {
	of     map[string]*tagIndex   // by tags
	by     map[string][]*tagIndex // by their first pairs
	sought []*tagIndex            // those with a line
}

// wish is what a client has that has asked for tags, or to be told more of jobs, with its reserves.
type wish struct {
	tells    bool                // the reserve that it makes, or waits in, asks to be told more
	tagIndex *tagIndex           // of the tags that this reserve asks for; nil if it takes any job
	kept     *tagIndex           // of those that it asked for last
	inLine   cells.Node[*Client] // of the tag index
}

// tagIndex is that of the tags that the client asks for just now; nil if it takes any job.
func (c *Client) tagIndex() *tagIndex {
	if c.wish == nil {
		return nil
	}
	return c.wish.tagIndex
}

// asks notes what a client's reserve asks for. It reports false if another turn is needed until its jobs
// are known.
func (s *State) asks(c *Client, op *Op) (known bool) {
	w := c.wish
	switch {
	case op.Options == nil && w == nil:
		return true
	case op.Options == nil:
		w.tells, w.tagIndex = false, nil
		return true
	case w == nil:
		w = new(wish)
		c.wish = w
	}
	w.tells, w.tagIndex = true, nil
	if want := op.Options.Tags; len(want) > 0 {
		if w.kept == nil || !bytes.Equal(w.kept.tags, want) {
			s.unask(c)
			w.kept = s.tagIndexOf(want)
			w.kept.users++
		}
		w.tagIndex = w.kept
	}
	return w.tagIndex == nil || s.fill(w.tagIndex)
}

// unask lets go of the tag index that a client has asked for last.
func (s *State) unask(c *Client) {
	if c.wish == nil || c.wish.kept == nil {
		return
	}
	v := c.wish.kept
	c.wish.kept, c.wish.tagIndex = nil, nil
	if v.users--; v.users > 0 {
		return
	}
	x := s.tagIndexes
	delete(x.of, string(v.tags))
	if x.by[v.pair] = slices.DeleteFunc(x.by[v.pair], func(o *tagIndex) bool {
		return o == v
	}); len(x.by[v.pair]) == 0 {
		delete(x.by, v.pair)
	}
	if len(x.of) == 0 {
		s.tagIndexes = nil
	}
}

// tagIndexOf finds the tag index of some tags, or begins it.
func (s *State) tagIndexOf(tags Tags) *tagIndex {
	if s.tagIndexes == nil {
		s.tagIndexes = &tagIndexes{of: map[string]*tagIndex{}, by: map[string][]*tagIndex{}}
	}
	v := s.tagIndexes.of[string(tags)]
	if v == nil {
		v = &tagIndex{tags: bytes.Clone(tags), marks: tags.marks(), tubes: map[*tube]*cells.Ranking{}, cursor: 1}
		for pair := range tags.pairs() {
			v.pair = string(pair)
			break
		}
		s.tagIndexes.of[string(tags)], s.tagIndexes.by[v.pair] = v, append(s.tagIndexes.by[v.pair], v)
	}
	return v
}

// whole says that a tag index has all that belongs into it.
func (v *tagIndex) whole() bool { return v.cursor == 0 }

// fill goes on with what was ready before the tag index was begun. It reports false if there is more of that.
func (s *State) fill(v *tagIndex) bool {
	if v.cursor != 0 && !s.spent() {
		v.cursor = s.records(v.cursor, func(slot uint32) bool {
			if j := s.job(slot); j.state() == Ready && j.rare != 0 {
				if s.spend(reaching); s.jobHas(slot, v.tags) {
					s.spend(moving / 2)
					v.keep(s, s.tubeOf(j), slot)
				}
			}
			return true
		})
	}
	return v.whole()
}

// keep takes in a ready job that has the tags.
func (v *tagIndex) keep(s *State, t *tube, slot uint32) {
	r := v.tubes[t]
	if r == nil {
		r = new(cells.Ranking)
		v.tubes[t] = r
	}
	r.Add(&v.at, s.placeKey(t, slot), s.job(slot).size)
}

// drop takes out a job that is no longer ready, unless it was never taken in.
func (v *tagIndex) drop(t *tube, slot, size uint32) {
	r := v.tubes[t]
	if r == nil {
		return
	}
	if r.Drop(&v.at, slot, size); r.N == 0 {
		delete(v.tubes, t)
	}
}

// falls calls do with all tag indexes that a job falls into.
func (s *State) falls(slot uint32, do func(v *tagIndex)) {
	tags := s.tagsOf(slot)
	if len(tags) == 0 {
		return
	}
	marks := tags.marks()
	for pair := range tags.pairs() {
		for _, v := range s.tagIndexes.by[string(pair)] {
			if s.spend(looking); v.marks&^marks == 0 && s.jobHas(slot, v.tags) {
				do(v)
			}
		}
	}
}

// addToTagIndexes is told of a job that has become ready. It finds the tag indexes with the job in which somebody
// waits.
func (s *State) addToTagIndexes(t *tube, slot uint32) (sought []*tagIndex) {
	s.falls(slot, func(v *tagIndex) {
		if v.keep(s, t, slot); v.line.N > 0 {
			sought = append(sought, v)
		}
	})
	return sought
}

// dropFromTagIndexes is told of a job that is about to be ready no longer.
func (s *State) dropFromTagIndexes(t *tube, slot uint32) {
	s.falls(slot, func(v *tagIndex) { v.drop(t, slot, s.job(slot).size) })
}

// clearTagIndexes is told that no job of a tube is ready any more.
func (s *State) clearTagIndexes(t *tube) {
	for _, v := range s.tagIndexes.of {
		s.spend(looking)
		delete(v.tubes, t)
	}
}

// reorderTagIndexes follows a change of the order of a tube's jobs.
func (s *State) reorderTagIndexes(t *tube) {
	if s.tagIndexes == nil {
		return
	}
	for _, v := range s.tagIndexes.of {
		old := v.tubes[t]
		if old == nil {
			continue
		}
		s.spend(moving / 4 * int(old.N))
		delete(v.tubes, t)
		for i := range old.N {
			v.keep(s, t, old.At(i).Slot)
		}
	}
}

// fitting are the ready jobs of a tube that a client asks for; nil if there are none.
func (c *Client) fitting(t *tube) *cells.Heap {
	v := c.tagIndex()
	switch {
	case v == nil && t.ready.N > 0:
		return &t.ready
	case v != nil && v.tubes[t] != nil:
		return &v.tubes[t].Heap
	}
	return nil
}

// offered says that a client may take a job from a tube now.
func (c *Client) offered(t *tube) bool { return c.fitting(t) != nil && !t.shut() }

// headFor is the best job of a tube that offers one to a client, as it compares with those of other tubes.
func (s *State) headFor(c *Client, t *tube) cells.Entry {
	if c.tagIndex() == nil {
		return s.head(t)
	}
	e := c.fitting(t).Top()
	if t.isAging() {
		return s.compared(t, e.Slot)
	}
	return e
}

// standIn has a client wait in the line of its tag index.
func (v *tagIndex) standIn(s *State, c *Client) {
	if v.line.N == 0 {
		v.place = len(s.tagIndexes.sought)
		s.tagIndexes.sought = append(s.tagIndexes.sought, v)
	}
	v.line.Join(&c.wish.inLine, c)
	s.waiting++
}

// standOut takes a client out of the line of its tag index, if it waits there.
func (s *State) standOut(c *Client) {
	v := c.tagIndex()
	if v == nil || !v.line.In(&c.wish.inLine) {
		return
	}
	v.line.Leave(&c.wish.inLine)
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
		for c := range v.line.All() {
			if first != nil && c.arrival >= first.arrival {
				break
			}
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
		for c := range v.line.All() {
			if s.spend(looking); c.hasIn(t) {
				n++
			}
		}
	}
	return n
}
