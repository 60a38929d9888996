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
	var sums Sums
	sums.Timeouts, sums.Total = s.totals.Timeouts, s.totals.Total
	waits := 0
	for name, t := range s.tubes {
		if err := s.checkTube(name, t, &sums, &waits, place); err != nil {
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
		if err := s.checkClient(c, &sums, place); err != nil {
			return err
		}
	}
	if err := s.checkQuarantined(&sums); err != nil {
		return err
	}
	if sums != s.totals {
		return fmt.Errorf("S3: totals are %+v, walking finds %+v", s.totals, sums)
	}
	if err := cmp.Or(s.checkItems(place), s.checkMoving(place), s.checkGraves(place), s.checkKeys(seen)); err != nil {
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
	many, err := s.checkMany()
	if err != nil {
		return err
	}
	if waits += many + s.inLines(); waits != s.waiting {
		return fmt.Errorf("S3: %d places in queues counted, %d found", s.waiting, waits)
	}
	return cmp.Or(s.checkSizes(seen), s.timeline.Check(s.tubePos), s.opening.Check(s.openPos),
		s.holders.Check(s.clientPos), s.policies.expiring.Check(s.policies.expiringAt))
}

func (s *State) checkTube(name string, t *tube, sums *Sums, waits *int, place func(uint32, string) error) error {
	if t.name != name || s.tubeAt.Get(t.slot) != t {
		return fmt.Errorf("S4: tube %q is filed wrongly", name)
	}
	if t.using == 0 && t.watching == 0 && t.jobs() == 0 && t.transit == 0 && name != s.Pinned &&
		(t.policy == nil || !t.policy.rate.Lingers()) && (t.service == nil || !t.service.matters()) {
		return fmt.Errorf("S5: tube %q has no reason to exist", name)
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
	if err := t.waiters.Check((*waitEntry).links, func(*waitEntry) error { return nil }); err != nil {
		return fmt.Errorf("%w (waiters of tube %s)", err, name)
	}
	if s.firstWaiter(t, s.sought()) != nil && t.offers() {
		return fmt.Errorf("S6: tube %q has waiters and ready jobs", name)
	}
	if pos := s.openPos.Get(t.slot); t.opening != (pos != cells.Nowhere) || t.opening &&
		s.opening.At(pos).Major != t.ready.Top().Major && !t.isAging() {
		return fmt.Errorf("S4: tube %q has the wrong place among those that open", name)
	}
	*waits += t.waiters.N
	sums.Urgent += urgent
	sums.Ready += int(t.ready.N)
	sums.Delayed += int(t.delayed.N)
	sums.Buried += t.buried.N
	if err := t.ready.Check(s.jobPos); err != nil {
		return err
	}
	return t.delayed.Check(s.jobPos)
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

func (s *State) checkClient(c *Client, sums *Sums, place func(uint32, string) error) error {
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
	sums.Reserved += c.held.N
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

// checkMany looks at the clients that wait in no line of a tube, and counts them.
func (s *State) checkMany() (waits int, err error) {
	last := uint64(0)
	err = s.manyWaits.Check((*Client).place, func(c *Client) error {
		if c.arrival <= last {
			return fmt.Errorf("S4: a client of many tubes waits in the wrong place")
		}
		last = c.arrival
		return nil
	})
	if err != nil {
		return 0, err
	}
	for _, c := range s.seekers {
		if err := s.checkSearch(c); err != nil {
			return 0, err
		}
	}
	waits, err = s.checkTagIndexes()
	return s.manyWaits.N + waits, err
}

// checkSearch looks for tubes that a search would miss.
func (s *State) checkSearch(c *Client) error {
	w := c.many
	if !w.seeking || s.manyWaits.Has(c, c.place()) || w.seen+w.again > w.tubes.N {
		return fmt.Errorf("S7: a client is not in the middle of a search")
	}
	for i := range w.tubes.N {
		t := w.tubes.Get(i)
		if w.place[t.slot] != i {
			return fmt.Errorf("S4: tube %q stands in another place of a client's", t.name)
		}
		if i >= w.seen || !c.offered(t) {
			continue
		}
		// The order is promised only while nobody takes the best job.
		if w.hasty || w.best == nil || !w.unsure && s.intact(c) && c.fair == nil && !t.isAging() && !w.best.isAging() &&
			c.fitting(t).Top().Before(c.fitting(w.best).Top()) {
			return fmt.Errorf("S7: a search misses tube %q", t.name)
		}
	}
	return nil
}

// Waits counts the places that clients take in queues, for tests that look
// for stale ones (R3).
func (s *State) Waits() int { return s.waiting }
