package queue

import (
	"fmt"
	"slices"

	"beanfield/shard/queue/cells"
)

// standIn has a client wait in the line of its sieve.
func (v *sieve) standIn(s *State, c *Client) {
	if v.line.N == 0 {
		v.place = len(s.sieves.sought)
		s.sieves.sought = append(s.sieves.sought, v)
	}
	v.line.Push(c, c.linked(), v.line.Tail.linked())
	s.waiting++
}

// standOut takes a client out of the line of its sieve, if it waits there.
func (s *State) standOut(c *Client) {
	v := c.sieve()
	if v == nil || !v.line.Has(c, c.linked()) {
		return
	}
	k := c.linked()
	v.line.Remove(k, k.Prev.linked(), k.Next.linked())
	s.waiting--
	if v.line.N == 0 {
		x := s.sieves
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

// sought are the sieves in which somebody waits.
func (s *State) sought() []*sieve {
	if s.sieves == nil {
		return nil
	}
	return s.sieves.sought
}

// earlier is the client that has waited longest for a tube among first, if there is one, and those who wait in some
// sieves for a job that the tube has.
func (s *State) earlier(first *Client, t *tube, among []*sieve) *Client {
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

// siftersOf counts the clients that wait in sieves and watch a tube.
func (s *State) siftersOf(t *tube) (n int) {
	for _, v := range s.sought() {
		for c := v.line.Head; c != nil; c = c.wish.inLine.Next {
			if s.spend(looking); c.hasIn(t) {
				n++
			}
		}
	}
	return n
}

// checkSieves looks for jobs that are in the wrong sieve, and for clients that wait where they could be
// served (TG1, TG2). It counts those that wait.
func (s *State) checkSieves() (waits int, err error) {
	if s.sieves == nil {
		return 0, nil
	}
	users := map[*sieve]int{}
	for slot := range s.clients.N {
		if c := s.clients.Get(slot); c != nil && c.wish != nil && c.wish.kept != nil {
			users[c.wish.kept]++
		}
	}
	lines := 0
	for tags, v := range s.sieves.of {
		if string(v.tags) != tags || v.users < users[v] || v.users == 0 || !slices.Contains(s.sieves.by[v.pair], v) {
			return 0, fmt.Errorf("TG3: a sieve is filed wrongly, or is nobody's")
		}
		if err := s.checkSieve(v); err != nil {
			return 0, err
		}
		if v.line.N > 0 {
			lines++
			if !v.whole() || s.sieves.sought[v.place] != v {
				return 0, fmt.Errorf("TG2: clients wait in a sieve that is not whole")
			}
		}
		last := uint64(0)
		err := v.line.Check((*Client).linked, func(c *Client) error {
			if c.arrival <= last || c.wish.sieve != v {
				return fmt.Errorf("S4: a client waits in the wrong place of a sieve, or in the wrong one")
			}
			last = c.arrival
			return nil
		})
		if err != nil {
			return 0, err
		}
		waits += v.line.N
	}
	if lines != len(s.sieves.sought) {
		return 0, fmt.Errorf("TG2: %d sieves have a line, %d are sought", lines, len(s.sieves.sought))
	}
	return waits, nil
}

func (s *State) checkSieve(v *sieve) error {
	for name, t := range s.tubes {
		want := uint32(0)
		for i := range t.ready.N {
			if s.jobHas(t.ready.At(i).Slot, v.tags) {
				want++
			}
		}
		r := v.tubes[t]
		if r == nil {
			r = new(ranking)
		} else if r.heap.N == 0 {
			return fmt.Errorf("TG1: a sieve has no jobs of tube %q", name)
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
			return fmt.Errorf("TG1: a sieve has jobs of tube %q, which has ended", t.name)
		}
	}
	return nil
}
