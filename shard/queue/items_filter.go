package queue

import "slices"

// A filtered consumer wants only items with its tags, or from an index on. So it does not
// wait in the line of its tube's waiters, who take whatever is best. It looks through
// the queue in the order of the ids, in shares of a turn, and remembers how far it has
// come. A job that becomes ready, and that the line has not taken, is shown to the filtered
// consumers, first to the one that has waited longest. If one wants the job, but has no
// room just then or is still looking, it will look at that job again.

// lookedAll is how far a consumer has come that knows of no item for it. No id is as high.
const lookedAll = ^uint64(0)

// filtered says that the consumer does not want just any item.
func (c *consumer) filtered() bool {
	return c.group.view == nil && (len(c.tags) > 0 || c.start > 0)
}

// wants says whether a job may be sent to a filtered consumer.
func (c *consumer) wants(s *State, slot uint32) bool {
	return s.job(slot).id() >= c.start && s.tagsOf(slot).Has(c.tags)
}

// startOf is the first index that a watch asks for. It reports false if another turn is
// needed to find that out.
func (s *State) startOf(v *service, a *Ask) (start uint64, known bool) {
	switch {
	case a.Index != NewestIndex:
		return a.Index, true
	case !s.whole(v):
		return 0, false
	case v.index.order.n == 0:
		return 1, true
	}
	return v.index.order.lastID(&s.jobs) + 1, true
}

// choose gives a consumer the filter that its watch asks for.
func (c *consumer) choose(tags Tags, start uint64) {
	v := c.group.service
	c.ignoreShown()
	c.tags, c.start, c.look = append(c.tags[:0], tags...), start, 0
	c.marks = c.tags.marks()
	if c.filtered() {
		v.filtered = append(v.filtered, c)
	}
}

// ignoreShown removes a consumer from those that jobs are shown to.
func (c *consumer) ignoreShown() {
	v := c.group.service
	if i := slices.Index(v.filtered, c); i >= 0 {
		v.filtered = slices.Delete(v.filtered, i, i+1)
	}
}

// show offers a job to the filtered consumers, if it is still ready.
func (v *service) show(s *State, id uint64) {
	slot := s.find(id)
	if slot == 0 || s.job(slot).state() != Ready || s.job(slot).tube() != v.tube.slot {
		return
	}
	marks := s.tagsOf(slot).marks()
	for i, c := range v.filtered {
		s.spend(visiting)
		if c.marks&^marks != 0 || !c.wants(s, slot) {
			continue
		}
		if c.look == lookedAll && c.room() && v.tube.offers() {
			v.filtered = append(slices.Delete(v.filtered, i, i+1), c)
			s.push(c, slot)
			return
		}
		c.look = min(c.look, id)
		s.wake(c)
	}
}

// seekFor sends a filtered consumer with room the next item that it wants, or lets it wait
// until it is shown one.
func (s *State) seekFor(c *consumer) {
	v := c.group.service
	if c.look == lookedAll || v.tube.shut() {
		return
	}
	borrowed := max(0, min(leastShare, s.Share)-s.share) // so that each call makes progress
	s.share += borrowed
	defer func() { s.share -= borrowed }()
	if !s.whole(v) {
		s.wake(c)
		return
	}
	o := &v.index.order
	for at := o.seek(&s.jobs, max(c.look, c.start)); ; at = o.next(at) {
		slot := o.at(at)
		if slot == 0 {
			c.look = lookedAll
			return
		}
		if s.spent() {
			break
		}
		s.spend(visiting)
		j := s.job(slot)
		c.look = j.id() + 1
		if j.state() == Ready && c.wants(s, slot) {
			s.push(c, slot)
			break
		}
	}
	s.wake(c)
}
