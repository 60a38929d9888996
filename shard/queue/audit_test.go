package queue

import (
	"cmp"
	"fmt"

	"beanfield/shard/queue/cells"
	"beanfield/storage"
)

// audit looks at what Check leaves out: that everything which will need
// attention stands in a timeline, that the counts of a tube's users, watchers
// and reserved jobs are true, and that no memory is used by nobody. clients
// are all that have not been thrown away.
func audit(s *State, clients []*Client) error {
	if err := s.Check(); err != nil {
		return err
	}
	using, watching, byMany, reserved := map[*tube]int{}, map[*tube]int{}, map[*tube]int{}, map[*tube]int{}
	for _, c := range clients {
		if c.used != nil {
			using[c.used]++
		}
		tubes := c.tubes()
		for i, t := range tubes {
			watching[t]++
			if c.many == nil {
				continue
			}
			byMany[t]++
			if at, known := c.many.place[t.slot]; !known || int(at) != i {
				return fmt.Errorf("S4: tube %q is at %d of what a client watches, not at %d", t.name, i, at)
			}
		}
		if w := c.many; w != nil && (len(w.place) != len(tubes) || len(c.watched) > 0) {
			return fmt.Errorf("S4: a client of many tubes watches %d, knows %d, and lists %d as an ordinary one", len(tubes), len(w.place), len(c.watched))
		}
		for slot := c.held.Head; slot != 0; slot = s.linksOf(slot).Next {
			reserved[s.tubeAt.Get(s.jobs.At(slot).tube())]++
		}
		if err := auditWaits(c); err != nil {
			return err
		}
		if c.slot != 0 && s.holders.When(c.slot) != c.soonest() {
			return fmt.Errorf("a client's deadline %d is not in the timeline", c.soonest())
		}
	}
	if err := s.checkLines(clients, using); err != nil {
		return err
	}
	for _, t := range s.tubes {
		if t.byMany != byMany[t] {
			return fmt.Errorf("S3: tube %q counts %d watchers of many tubes, has %d", t.name, t.byMany, byMany[t])
		}
		if t.using != using[t] || t.watching != watching[t] || t.reserved != reserved[t] {
			return fmt.Errorf("S3: tube %q counts %d users, %d watchers, %d reserved; there are %d, %d, %d",
				t.name, t.using, t.watching, t.reserved, using[t], watching[t], reserved[t])
		}
		due := int64(0)
		if t.delayed.N > 0 {
			due = int64(t.delayed.Top().Major)
		}
		if t.pausedUntil != 0 && (due == 0 || t.pausedUntil < due) {
			due = t.pausedUntil
		}
		if t.policy != nil && t.policy.due() != 0 && (due == 0 || t.policy.due() < due) {
			due = t.policy.due()
		}
		if s.timeline.When(t.slot) != due {
			return fmt.Errorf("tube %q is due at %d, which is not in the timeline", t.name, due)
		}
	}
	return cmp.Or(auditQuota(s), auditMemory(s))
}

// tubes are those that the client watches.
func (c *Client) tubes() []*tube {
	if c.many == nil {
		return c.watched
	}
	var all []*tube
	for i := range c.many.tubes.N {
		all = append(all, c.many.tubes.Get(i))
	}
	return all
}

// auditWaits checks that a client waits nowhere or at all tubes it watches.
func auditWaits(c *Client) error {
	n := 0
	for e := c.waits; e != nil; e = e.sibling {
		if e.place.Of != c {
			return fmt.Errorf("R3: a client's wait belongs to another")
		}
		n++
	}
	if c.many != nil && n > 0 {
		return fmt.Errorf("R3: a client of many tubes waits at %d", n)
	}
	if n != 0 && n != len(c.watched) {
		return fmt.Errorf("R3: a client waits at %d of %d tubes", n, len(c.watched))
	}
	return nil
}

// auditMemory counts the slots in use against the jobs that need them.
func auditMemory(s *State) error {
	jobs, rares, items, routes, small, large := 0, 0, 0, 0, 0, 0
	for slot := range s.jobs.All() {
		j := s.job(slot)
		if j.id() == 0 {
			return fmt.Errorf("a job record is in use, and empty")
		}
		jobs++
		if j.rare != 0 {
			rares++
		}
		sizes := []uint32{j.size}
		if j.away() {
			sizes[0] = 0
		}
		if it := s.itemAt(slot); it != nil {
			items++
			sizes = append(sizes, it.tagsSize, it.noteSize)
		}
		if y := s.routeAt(slot); y != nil {
			routes++
			sizes = append(sizes, y.toSize, y.tracesSize)
		}
		for _, size := range sizes {
			switch {
			case size > cells.SmallMost:
				large++
			case size > 0:
				small++
			}
		}
	}
	if n := s.jobs.Used(); n != jobs || jobs != int(s.index.N) {
		return fmt.Errorf("%d job records in use, %d filled, %d indexed", n, jobs, s.index.N)
	}
	if n := s.rares.Used(); n != rares {
		return fmt.Errorf("%d records of rare fields in use, %d needed", n, rares)
	}
	if n := s.added.Used(); n != items {
		return fmt.Errorf("%d items in use, %d needed", n, items)
	}
	if n := s.travel.routes.Used(); n != routes || n != len(s.travel.of) {
		return fmt.Errorf("%d routes in use for %d jobs, %d needed", n, len(s.travel.of), routes)
	}
	if n, m := s.bodies.Used(); n != small || m != large {
		return fmt.Errorf("%d small and %d large bodies in use, %d and %d needed", n, m, small, large)
	}
	return nil
}

// consumers are the clients of a tube's consumers.
func (t *tube) consumers() (all []*Client) {
	if t.service == nil || t.service.first == nil {
		return nil
	}
	for _, c := range t.service.first.consumers {
		all = append(all, &c.client)
	}
	return all
}

// auditLog compares the places of the jobs with what the log has of them (L2). Reserving
// is not logged, nor that a delay ends, so much may be in the log of a job that is
// reserved, or has become ready.
func (w *world) auditLog() error {
	for key, r := range w.log.Jobs {
		id := storage.IDOf(key)
		slot := w.s.index.find(&w.s.jobs, id)
		if slot == 0 {
			return fmt.Errorf("L2: the log has job %d, which has ended", id)
		}
		j := w.s.jobs.At(slot)
		want := map[JobState]storage.JobState{Delayed: storage.Delayed, Buried: storage.Buried,
			Passed: storage.Passed}[j.state()]
		switch {
		case r.Damaged: // it is buried since the start
		case id > w.s.tubeAt.Get(j.tube()).newest:
			return fmt.Errorf("S3: job %d is newer than the newest of its tube", id)
		case want != 0 && r.State != want, r.State == storage.Passed && j.state() != Passed:
			return fmt.Errorf("L2: job %d is %s, and %v in the log", id, j.state(), r.State)
		case r.State == storage.Delayed && j.state() == Delayed && r.Deadline != w.s.rares.At(j.rare).key+testEpoch:
			return fmt.Errorf("L2: job %d is delayed until %d, in the log until %d", id,
				w.s.rares.At(j.rare).key+testEpoch, r.Deadline)
		case r.State == storage.Buried && j.state() == Buried && r.BuryRank != uint64(w.s.rares.At(j.rare).key):
			return fmt.Errorf("L2: job %d is buried as %d, in the log as %d", id, w.s.rares.At(j.rare).key, r.BuryRank)
		}
	}
	return nil
}
