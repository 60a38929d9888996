package queue

import "fmt"

// placePassed shows the jobs that only views have to the check of S1.
func (s *State) placePassed(place func(uint32, string) error) error {
	for _, t := range s.tubes {
		if t.service == nil || t.service.passed == 0 {
			continue
		}
		o := &t.service.finder.order
		for at := o.seek(&s.jobs, 0); o.at(at) != 0; at = o.next(at) {
			if slot := o.at(at); s.jobs.at(slot).state() == Passed {
				if err := place(slot, t.name+" passed"); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// checkPassed looks for passed jobs that all groups are done with.
func (s *State) checkPassed(v *service) error {
	n := 0
	o := &v.finder.order
	for at := o.seek(&s.jobs, 0); o.at(at) != 0; at = o.next(at) {
		slot := o.at(at)
		j := s.jobs.at(slot)
		if j.state() != Passed {
			continue
		}
		n++
		held := v.wanted(slot)
		for _, w := range v.views {
			held = held || w.dropping && w.where(slot) != nowhere
		}
		if !held {
			return fmt.Errorf("V2: job %d is passed, and no view has it", j.id())
		}
	}
	if n != v.passed {
		return fmt.Errorf("S3: %d passed jobs are counted, there are %d", v.passed, n)
	}
	return nil
}

// checkView walks a view.
func (s *State) checkView(w *view) error {
	if s.views.get(w.slot) != w {
		return fmt.Errorf("S4: it is filed wrongly")
	}
	if err := w.heap.check(w.places); err != nil {
		return err
	}
	tube := w.group.service.tube
	for i := range w.heap.n {
		e := *w.heap.at(i)
		if j := s.jobs.at(e.slot); e != readyKey(j.pri, j.id(), e.slot) {
			return fmt.Errorf("V1: job %d has another place among the undelivered", j.id())
		}
	}
	heaped, pends, known := 0, 0, 0
	for ci, chunk := range w.places {
		n := 0
		for i, at := range chunk {
			slot := uint32(ci)<<chunkShift | uint32(i)
			if at == nowhere {
				continue
			}
			n++
			j := s.jobs.at(slot)
			if j.tube() != tube.slot || j.id() < w.start || !s.tagsOf(slot).Has(w.tags) {
				return fmt.Errorf("V1: the view has job %d, which it does not get", j.id())
			}
			switch ref := w.pendingOf(slot); {
			case at == viewDone:
			case ref == 0:
				heaped++
			case s.pendings.at(ref).job != slot:
				return fmt.Errorf("V1: job %d is not pending where it says", j.id())
			default:
				pends++
			}
		}
		if (chunk == nil) != (n == 0) || ci < len(w.known) && int(w.known[ci]) != n {
			return fmt.Errorf("S3: chunk %d of the places has %d jobs", ci, n)
		}
		known += n
	}
	if heaped != int(w.heap.n) && !w.emptied || pends != w.group.pending || pends != w.sent.n {
		return fmt.Errorf("V1: %d jobs are undelivered, %d pending; counted are %d, %d and %d", heaped, pends, w.heap.n, w.group.pending, w.sent.n)
	}
	if err := s.checkSent(w); err != nil {
		return err
	}
	return s.checkComplete(w)
}

// checkComplete looks for jobs that the view should have, and for consumers that should
// be sent one.
func (s *State) checkComplete(w *view) error {
	o := &w.group.service.finder.order
	for at := o.seek(&s.jobs, 0); o.at(at) != 0 && !w.building; at = o.next(at) {
		if slot := o.at(at); s.jobs.at(slot).state() == Ready && w.wants(s, slot) {
			return fmt.Errorf("V1: the view misses job %d", s.jobs.at(slot).id())
		}
	}
	called := w.building || w.group.service.tube.paused()
	err := w.line.check((*consumer).links, func(c *consumer) error {
		if c.group.view != w {
			return fmt.Errorf("S4: a consumer waits in another view's line")
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, c := range w.group.consumers {
		called = called || c.listed
	}
	if w.heap.n > 0 && w.line.head != nil && !called {
		return fmt.Errorf("V3: a consumer waits while there are undelivered jobs")
	}
	return nil
}

// checkSent walks what a view has pending, in the order in which it was sent.
func (s *State) checkSent(w *view) error {
	var due, last int64
	err := w.sent.check(s.allLinks, func(ref uint32) error {
		if last > s.pendings.at(ref).at {
			return fmt.Errorf("S4: what was sent is in another order")
		}
		last = s.pendings.at(ref).at
		return nil
	})
	if err != nil {
		return err
	}
	if idle := w.group.service.limits.MaxIdle; idle > 0 && w.sent.n > 0 {
		due = s.pendings.at(w.sent.head).at + idle
	}
	if !scheduledAt(&s.idling, s.idlePos, w.slot, due) {
		return fmt.Errorf("S4: the view is not in the timeline for %d", due)
	}
	return nil
}

func scheduledAt(h *heap, p positions, slot uint32, due int64) bool {
	pos := p.get(slot)
	if due == 0 {
		return pos == nowhere
	}
	return pos < h.n && h.at(pos).slot == slot && int64(h.at(pos).major) == due
}

// checkHas walks what a view's consumer has.
func (s *State) checkHas(c *consumer) error {
	again := c.again == 0
	err := c.has.check(s.ownLinks, func(ref uint32) error {
		if p := s.pendings.at(ref); p.consumer != c.client.slot || c.group.view.pendingOf(p.job) != ref {
			return fmt.Errorf("Q1: job %d is pending elsewhere", s.jobs.at(p.job).id())
		}
		again = again || ref == c.again
		return nil
	})
	if err == nil && !again {
		err = fmt.Errorf("Q1: it is to be sent an item again that it does not have")
	}
	return err
}
