package queue

import (
	"fmt"
	"slices"

	"beanfield/shard/queue/cells"
)

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

// checkTagIndexes looks for jobs that are in the wrong tag index, and for clients that wait where they could be
// served (TG1, TG2). It counts those that wait.
func (s *State) checkTagIndexes() (waits int, err error) {
	if s.tagIndexes == nil {
		return 0, nil
	}
	users := map[*tagIndex]int{}
	for slot := range s.clients.N {
		if c := s.clients.Get(slot); c != nil && c.wish != nil && c.wish.kept != nil {
			users[c.wish.kept]++
		}
	}
	lines := 0
	for tags, v := range s.tagIndexes.of {
		if string(v.tags) != tags || v.users < users[v] || v.users == 0 || !slices.Contains(s.tagIndexes.by[v.pair],
			v) {
			return 0, fmt.Errorf("TG3: a tag index is filed wrongly, or is nobody's")
		}
		if err := s.checkTagIndex(v); err != nil {
			return 0, err
		}
		if v.line.N > 0 {
			lines++
			if !v.whole() || s.tagIndexes.sought[v.place] != v {
				return 0, fmt.Errorf("TG2: clients wait in a tag index that is not whole")
			}
		}
		last := uint64(0)
		err := v.line.Check((*Client).linked, func(c *Client) error {
			if c.arrival <= last || c.wish.tagIndex != v {
				return fmt.Errorf("S4: a client waits in the wrong place of a tag index, or in the wrong one")
			}
			last = c.arrival
			return nil
		})
		if err != nil {
			return 0, err
		}
		waits += v.line.N
	}
	if lines != len(s.tagIndexes.sought) {
		return 0, fmt.Errorf("TG2: %d tag indexes have a line, %d are sought", lines, len(s.tagIndexes.sought))
	}
	return waits, nil
}

func (s *State) checkTagIndex(v *tagIndex) error {
	for name, t := range s.tubes {
		want := uint32(0)
		for i := range t.ready.N {
			if s.jobHas(t.ready.At(i).Slot, v.tags) {
				want++
			}
		}
		r := v.tubes[t]
		if r == nil {
			r = new(cells.Ranking)
		} else if r.N == 0 {
			return fmt.Errorf("TG1: a tag index has no jobs of tube %q", name)
		}
		err := s.checkRanking(r, v.at, v.whole(), want, func(j *job, slot uint32) (cells.Entry, bool) {
			return s.placeKey(t, slot), j.state() == Ready && j.tube() == t.slot && s.jobHas(slot, v.tags)
		})
		if err != nil {
			return fmt.Errorf("TG1: %w (tube %q)", err, name)
		}
	}
	for t := range v.tubes {
		if s.tubes[t.name] != t {
			return fmt.Errorf("TG1: a tag index has jobs of tube %q, which has ended", t.name)
		}
	}
	return nil
}
