package queue

import (
	"cmp"
	"fmt"

	"beanfield/shard/queue/cells"
)

// Check walks the whole state and reports the first broken invariant, by its
// number in doc.go. Tests run it after every step.
func (s *State) Check() error {
	defer func(share int) { s.share = share }(s.share) // to look is no work of the turn's
	seen := map[uint32]string{}
	place := func(slot uint32, where string) error {
		if was, dup := seen[slot]; dup {
			return fmt.Errorf("S1: job %d is in %s and in %s", s.job(slot).id(), was, where)
		}
		seen[slot] = where
		return nil
	}
	for name, t := range s.tubes {
		if err := s.checkTube(name, t, place); err != nil {
			return err
		}
	}
	for slot := range s.clients.N {
		c := s.clients.Get(slot)
		if c == nil {
			continue
		}
		if c.slot != slot {
			return fmt.Errorf("S4: client in slot %d believes to be in %d", slot, c.slot)
		}
		if err := s.checkClient(c, place); err != nil {
			return err
		}
	}
	if err := cmp.Or(s.checkItems(place), s.checkMoving(place), s.checkGraves(place), s.checkKeys(seen),
		s.checkQuarantined(),
		s.checkManyWaits(), s.checkTagIndexes()); err != nil {
		return err
	}
	if len(seen) != int(s.index.N) {
		return fmt.Errorf("S1: %d jobs are indexed, %d are in a place", s.index.N, len(seen))
	}
	for slot := range seen {
		if found := s.slotOf(s.job(slot).id()); found != slot {
			return fmt.Errorf("S1: job %d is not found by its id", s.job(slot).id())
		}
	}
	return cmp.Or(s.checkSizes(seen), s.Sound(), s.timeline.Check(), s.opening.Check(),
		s.holders.Check(), s.policies.expiring.Check())
}

func (s *State) checkTube(name string, t *tube, place func(uint32, string) error) error {
	if t.name != name || s.tubeAt.Get(t.slot) != t {
		return fmt.Errorf("S4: tube %q is filed wrongly", name)
	}
	urgent, err := s.checkPlaces(name, t, place)
	if err == nil && t.policy != nil {
		err = s.checkPolicy(t)
	}
	if err != nil {
		return err
	}
	if urgent != t.urgent {
		return fmt.Errorf("S3: tube %q counts %d urgent jobs, has %d", name, t.urgent, urgent)
	}
	if err := t.waiters.CheckAll(func(*Client) error { return nil }); err != nil {
		return fmt.Errorf("%w (waiters of tube %s)", err, name)
	}
	if at, is := s.opening.Has(t.slot); t.opening != is || t.opening &&
		s.opening.At(at).Major != t.ready.Top().Major && !t.isAging() {
		return fmt.Errorf("S4: tube %q has the wrong place among those that open", name)
	}
	return cmp.Or(t.ready.Check(s.jobPos), t.delayed.Check(s.jobPos))
}

// checkPlaces walks the jobs of a tube that nobody holds, and counts the urgent ones.
func (s *State) checkPlaces(name string, t *tube, place func(uint32, string) error) (urgent int, err error) {
	for i := uint32(0); i < t.ready.N; i++ {
		e := *t.ready.At(i)
		j := s.job(e.Slot)
		if j.state() != Ready || j.tube() != t.slot || e != s.placeKey(t, e.Slot) {
			return 0, fmt.Errorf("S1: job %d does not belong where it is ready", j.id())
		}
		if j.pri < urgentBelow {
			urgent++
		}
		if err := place(e.Slot, name+" ready"); err != nil {
			return 0, err
		}
	}
	for i := uint32(0); i < t.delayed.N; i++ {
		e := *t.delayed.At(i)
		j := s.job(e.Slot)
		if j.state() != Delayed || j.tube() != t.slot || s.rare(j).key != int64(e.Major) {
			return 0, fmt.Errorf("S1: job %d does not belong where it is delayed", j.id())
		}
		if err := place(e.Slot, name+" delayed"); err != nil {
			return 0, err
		}
	}
	return urgent, s.checkList(&t.buried, Buried, name+" buried", place)
}

func (s *State) checkClient(c *Client, place func(uint32, string) error) error {
	timed := 0
	for slot := c.held.Head; slot != 0; slot = s.linksOf(slot).Next {
		if s.job(slot).ttr > 0 {
			timed++
		}
	}
	holds := func(e cells.Entry) error {
		if t := s.rare(s.job(e.Slot)); t.holder != c.slot || t.key != int64(e.Major) {
			return fmt.Errorf("S1: job %d is not held where it says", s.job(e.Slot).id())
		}
		return nil
	}
	for i := uint32(0); i < c.ttrs.N; i++ {
		if err := holds(*c.ttrs.At(i)); err != nil {
			return err
		}
	}
	if c.consumer != nil {
		n, err := c.consumer.row.Check(s.jobPos, holds)
		if err != nil {
			return err
		}
		timed -= n
	}
	if int(c.ttrs.N) != timed {
		return fmt.Errorf("S3: a client's list has %d jobs with a deadline that are in no row, its heap %d", timed,
			c.ttrs.N)
	}
	if c.fair != nil {
		if err := c.fair.Check(); err != nil {
			return err
		}
	}
	if err := c.ttrs.Check(s.jobPos); err != nil {
		return err
	}
	return s.checkList(&c.held, Reserved, "a client's list", place)
}

func (s *State) checkList(l *cells.List[uint32], want JobState, where string, place func(uint32, string) error) error {
	return l.Check(s.linksOf, func(slot uint32) error {
		if j := s.job(slot); j.state() != want {
			return fmt.Errorf("S1: job %d does not belong into %s", j.id(), where)
		}
		return place(slot, where)
	})
}

// checkManyWaits looks at the order of the clients of many tubes that wait.
func (s *State) checkManyWaits() error {
	last := uint64(0)
	return s.manyWaits.CheckAll(func(c *Client) error {
		if c.arrival <= last {
			return fmt.Errorf("S4: a client of many tubes waits in the wrong place")
		}
		last = c.arrival
		return nil
	})
}

// checkQuarantined counts the jobs that are quarantined.
func (s *State) checkQuarantined() error {
	for slot := range s.quarantined {
		if j := s.job(slot); j.state() != Buried {
			return fmt.Errorf("S1: job %d is quarantined and not buried", j.id())
		}
	}
	if len(s.quarantined) != s.totals.Damaged {
		return fmt.Errorf("S3: %d damaged jobs are counted, there are %d", s.totals.Damaged, len(s.quarantined))
	}
	return nil
}

// checkMoving shows the jobs that are on their way to the check of S1.
func (s *State) checkMoving(place func(uint32, string) error) error {
	transit := map[uint32]int{}
	for _, l := range []struct {
		list  *cells.List[uint32]
		state JobState
		name  string
	}{{&s.travel.leaving, Leaving, "the list of those that leave"}, {&s.travel.underway, Leaving,
		"the list of those underway"}, {&s.travel.arriving, Arriving, "the list of those that arrive"}} {
		err := s.checkList(l.list, l.state, l.name, func(slot uint32, where string) error {
			transit[s.job(slot).tube()]++
			if y := s.routeAt(slot); y == nil || l.state == Leaving &&
				(y.toSize == 0 || y.loaded != (l.list == &s.travel.underway)) {
				return fmt.Errorf("TR1: job %d is in %s with %+v", s.job(slot).id(), where, y)
			}
			return place(slot, where)
		})
		if err != nil {
			return err
		}
	}
	for name, t := range s.tubes {
		if t.transit != transit[t.slot] {
			return fmt.Errorf("S3: tube %q counts %d jobs on their way, has %d", name, t.transit, transit[t.slot])
		}
	}
	n := 0
	for range s.travellers() {
		n++
	}
	if n != s.travel.far {
		return fmt.Errorf("S3: %d jobs have come from other shards, %d are counted", n, s.travel.far)
	}
	return nil
}

// checkGraves shows the jobs in graves to the check of S1, and looks at what graves and tubes say of each other (GR1,
// GR2).
func (s *State) checkGraves(place func(uint32, string) error) error {
	graves, noted, n, bytes := map[*tube]int{}, map[string]int{}, 0, int64(0)
	for _, g := range s.yard.graves {
		graves[g.of]++
		noted[g.of.name]++
		var slots []uint32
		for _, h := range []*cells.Heap{&g.ready, &g.delayed} {
			for i := range h.N {
				slots = append(slots, h.At(i).Slot)
			}
		}
		for slot := g.buried.Head; slot != 0; slot = s.linksOf(slot).Next {
			slots = append(slots, slot)
		}
		n += len(slots)
		for _, slot := range slots {
			if j := s.job(slot); j.tube() != g.of.slot || !s.lies(slot) {
				return fmt.Errorf("GR1: job %d does not know that it lies in a grave", j.id())
			}
			bytes += int64(s.job(slot).size)
			if err := place(slot, "a grave of "+g.of.name); err != nil {
				return err
			}
		}
	}
	if n != s.yard.jobs || bytes != s.yard.bytes {
		return fmt.Errorf("S3: %d jobs of %d bytes in graves are counted, %d of %d there", s.yard.jobs, s.yard.bytes, n,
			bytes)
	}
	for slot := uint32(1); slot < s.tubeAt.N; slot++ {
		if t := s.tubeAt.Get(slot); t != nil && (t.graves != graves[t] || t.gone != (s.tubes[t.name] != t) || t.gone &&
			t.graves == 0) {
			return fmt.Errorf("GR1: tube %q counts %d graves, has %d, and has ended: %t", t.name, t.graves, graves[t],
				t.gone)
		}
	}
	for tube, p := range s.yard.purging {
		if p.graves != noted[tube] || len(p.notes) == 0 {
			return fmt.Errorf("GR2: %d graves of tube %q are noted, there are %d", p.graves, tube, noted[tube])
		}
	}
	return nil
}
