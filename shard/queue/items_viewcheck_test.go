package queue

import (
	"fmt"

	"beanfield/shard/queue/cells"
)

// checkPassed looks for passed jobs that all groups are done with.
func (s *State) checkPassed(v *service) error {
	n := 0
	o := &v.index.order
	for at := o.seek(0); o.at(at) != 0; at = o.next(at) {
		slot := o.at(at)
		j := s.job(slot)
		if j.state() != Passed {
			continue
		}
		n++
		held := v.wanted(slot)
		for _, w := range v.views {
			held = held || w.dropping && w.where(slot) != cells.Nowhere
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
	if s.views.Get(w.slot) != w {
		return fmt.Errorf("S4: it is filed wrongly")
	}
	if err := w.heap.Check(w.places); err != nil {
		return err
	}
	tube := w.group.service.tube
	for i := range w.heap.N {
		e := *w.heap.At(i)
		if j := s.job(e.Slot); e != readyKey(j.pri, j.id(), e.Slot) {
			return fmt.Errorf("V1: job %d has another place among the undelivered", j.id())
		}
	}
	heaped, pends, known := 0, 0, 0
	for ci, chunk := range w.places {
		n := 0
		for i, at := range chunk {
			slot := uint32(ci)<<cells.ChunkShift | uint32(i)
			if at == cells.Nowhere {
				continue
			}
			n++
			j := s.job(slot)
			if j.tube() != tube.slot || j.id() < w.start || !s.tagsOf(slot).Has(w.tags) {
				return fmt.Errorf("V1: the view has job %d, which it does not get", j.id())
			}
			switch ref := w.pendingOf(slot); {
			case at == viewDone:
			case ref == 0:
				heaped++
			case s.pendings.At(ref).job != slot:
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
	if heaped != int(w.heap.N) && !w.emptied || pends != w.group.pending || pends != w.sent.N {
		return fmt.Errorf("V1: %d jobs are undelivered, %d pending; counted are %d, %d and %d", heaped, pends, w.heap.N,
			w.group.pending, w.sent.N)
	}
	if err := s.checkSent(w); err != nil {
		return err
	}
	return s.checkComplete(w)
}

// checkComplete looks for jobs that the view should have, and for consumers that should
// be sent one.
func (s *State) checkComplete(w *view) error {
	o := &w.group.service.index.order
	for at := o.seek(0); o.at(at) != 0 && !w.building; at = o.next(at) {
		if slot := o.at(at); s.job(slot).state() == Ready && w.wants(s, slot) {
			return fmt.Errorf("V1: the view misses job %d", s.job(slot).id())
		}
	}
	called := w.building || w.group.service.tube.paused()
	err := w.line.CheckAll(func(c *consumer) error {
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
	if w.heap.N > 0 && w.line.Head != nil && !called {
		return fmt.Errorf("V3: a consumer waits while there are undelivered jobs")
	}
	return nil
}

// checkSent walks what a view has pending, in the order in which it was sent.
func (s *State) checkSent(w *view) error {
	var due, last int64
	err := w.sent.Check(s.allLinks, func(ref uint32) error {
		if last > s.pendings.At(ref).at {
			return fmt.Errorf("S4: what was sent is in another order")
		}
		last = s.pendings.At(ref).at
		return nil
	})
	if err != nil {
		return err
	}
	if idle := w.group.service.limits.MaxIdle; idle > 0 && w.sent.N > 0 {
		due = s.pendings.At(w.sent.Head).at + idle
	}
	if s.idling.When(w.slot) != due {
		return fmt.Errorf("S4: the view is not in the timeline for %d", due)
	}
	return nil
}

// checkHas walks what a view's consumer has.
func (s *State) checkHas(c *consumer) error {
	again := c.again == 0
	err := c.has.Check(s.ownLinks, func(ref uint32) error {
		if p := s.pendings.At(ref); p.consumer != c.client.slot || c.group.view.pendingOf(p.job) != ref {
			return fmt.Errorf("Q1: job %d is pending elsewhere", s.job(p.job).id())
		}
		again = again || s.pendings.At(ref).job == c.again
		return nil
	})
	if err == nil && !again {
		err = fmt.Errorf("Q1: it is to be sent an item again that it does not have")
	}
	return err
}
