package queue

import "fmt"

// Sound looks for what would have a client wait for ever, and for jobs and tubes that are there for nobody, and
// reports the first broken invariant by its number in doc.go. It is for the tests of those who run queues; the tests of
// this package walk all that there is after every step (Check).
func (s *State) Sound() error {
	defer func(share int) { s.share = share }(s.share) // to look is no work of the turn's
	waits, jobs := s.manyWaits.N+s.inLines(), s.yard.jobs
	sums := Sums{Damaged: s.totals.Damaged, Timeouts: s.totals.Timeouts, Total: s.totals.Total}
	for name, t := range s.tubes {
		if !s.needed(t) && (t.policy == nil || !t.policy.rate.Lingers()) {
			return fmt.Errorf("S5: tube %q has no reason to exist", name)
		}
		if s.firstWaiter(t, s.sought()) != nil && t.offers() {
			return fmt.Errorf("S6: tube %q has waiters and ready jobs", name)
		}
		waits += t.waiters.N
		jobs += t.length() + t.transit
		t.addTo(&sums)
	}
	for _, v := range s.sought() {
		waits += v.line.N
	}
	for _, c := range s.seekers {
		if err := s.checkSearch(c); err != nil {
			return err
		}
	}
	switch {
	case waits != s.waiting:
		return fmt.Errorf("S3: %d places in queues counted, %d found", s.waiting, waits)
	case jobs != int(s.index.N):
		return fmt.Errorf("S1: %d jobs are indexed, tubes have %d", s.index.N, jobs)
	case sums != s.totals:
		return fmt.Errorf("S3: totals are %+v, tubes have %+v", s.totals, sums)
	}
	return nil
}

// checkSearch looks for tubes that a search would miss.
func (s *State) checkSearch(c *Client) error {
	w := c.many
	if !w.seeking || s.manyWaits.In(&w.inLine) || w.seen+w.again > w.tubes.N {
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
