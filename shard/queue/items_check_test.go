package queue

import (
	"cmp"
	"fmt"
	"slices"
)

// checkService walks a tube's groups and consumers.
func (s *State) checkService(v *service) error {
	if v.first != nil {
		if err := s.checkGroup(v.first); err != nil {
			return err
		}
	}
	for i, w := range v.views {
		if i > 0 && v.views[i-1].number >= w.number || w.number >= v.nextView {
			return fmt.Errorf("V4: view %q has number %d", w.group.name, w.number)
		}
		if v.named[w.group.name] != w || len(v.named) != len(v.views) {
			return fmt.Errorf("S4: view %q is filed wrongly among %d", w.group.name, len(v.named))
		}
		if err := s.checkGroup(w.group); err != nil {
			return err
		}
		if err := s.checkView(w); err != nil {
			return fmt.Errorf("%w (view %s)", err, w.group.name)
		}
	}
	return s.checkPassed(v)
}

// checkGroup walks the consumers of a group.
func (s *State) checkGroup(g *group) error {
	pending := 0
	if len(g.users) != len(g.consumers) {
		return fmt.Errorf("Q4: group %q has %d consumers by name, %d in its list", g.name, len(g.users),
			len(g.consumers))
	}
	for i, c := range g.consumers {
		if c.at != i || g.users[c.user] != c || c.client.consumer != c || s.clients.Get(c.client.slot) != &c.client {
			return fmt.Errorf("S4: consumer %s.%s is filed wrongly", g.name, c.user)
		}
		if err := s.checkConsumer(c); err != nil {
			return fmt.Errorf("%w (consumer %s.%s)", err, g.name, c.user)
		}
		pending += c.held()
	}
	if pending != g.pending {
		return fmt.Errorf("Q4: group %q counts %d pending items, has %d", g.name, g.pending, pending)
	}
	return nil
}

func (s *State) checkConsumer(c *consumer) error {
	if c.again == 0 && c.to != nil && !c.autoCommit && c.held() > c.window {
		return fmt.Errorf("Q2: %d items are pending in a window of %d", c.held(), c.window)
	}
	waits := c.waits()
	if waits && !c.room() {
		return fmt.Errorf("Q5: it waits and has no room")
	}
	if c.room() && !c.filtered() && !waits && !c.listed {
		return fmt.Errorf("Q5: it has room and does not wait")
	}
	if c.group.over() && c.listens() && !c.told && !c.listed && !c.group.service.ending && !c.group.parting {
		return fmt.Errorf("Q7: its group is over, and it is not told")
	}
	if c.told && !c.group.service.ended {
		return fmt.Errorf("Q7: it was told that its queue has ended")
	}
	if c.filtered() {
		if err := s.checkFiltered(c); err != nil {
			return err
		}
	}
	watching := 0
	if c.to != nil && c.group.view == nil {
		watching = 1
	}
	if len(c.client.watched) != watching {
		return fmt.Errorf("S3: it watches %d tubes, not %d", len(c.client.watched), watching)
	}
	leaving := s.leaving.When(c.client.slot) != 0
	if (c.to == nil) != (leaving || c.departed) || leaving && c.departed {
		return fmt.Errorf("Q6: it is leaving: %t, departed: %t", leaving, c.departed)
	}
	if c.departed && c.held() > 0 {
		return fmt.Errorf("Q6: it has departed with %d items", c.held())
	}
	if c.group.view != nil {
		return s.checkHas(c)
	}
	for slot, again := c.client.held.Head, c.again; slot != 0 || again != 0; slot = s.linksOf(slot).Next {
		if slot == 0 {
			return fmt.Errorf("Q1: it is to be sent an item again that it does not have")
		}
		if slot == again {
			break
		}
	}
	return nil
}

// checkFiltered looks for jobs that a filtered consumer misses.
func (s *State) checkFiltered(c *consumer) error {
	v := c.group.service
	if slices.Contains(v.filtered, c) != (c.to != nil) {
		return fmt.Errorf("S4: it is filtered, and among those who are shown jobs: %t", c.to == nil)
	}
	if c.client.waits != nil {
		return fmt.Errorf("Q5: it is filtered and waits in the line")
	}
	if c.room() && c.look != lookedAll && !c.listed && !v.tube.shut() {
		return fmt.Errorf("Q5: it has room, should look, and does not")
	}
	for i := uint32(0); i < v.tube.ready.N; i++ {
		slot := v.tube.ready.At(i).Slot
		if id := s.job(slot).id(); c.to != nil && id < c.look && c.wants(s, slot) {
			return fmt.Errorf("Q5: it misses item %d, and looks from %d on", id, c.look)
		}
	}
	return nil
}

// checkDeparted walks the consumers that are only remembered, and the heap of the others
// that have left.
func (s *State) checkDeparted() error {
	var prev *consumer
	err := s.departed.CheckAll(func(c *consumer) error {
		if !c.departed || prev != nil && prev.departedAt > c.departedAt {
			return fmt.Errorf("S4: consumer %s has departed in another order", c.user)
		}
		prev = c
		return nil
	})
	if err != nil {
		return err
	}
	if s.departed.N > departedMost {
		return fmt.Errorf("Q4: %d consumers have departed", s.departed.N)
	}
	return s.leaving.Check()
}

// checkItems checks what the queue service has, and shows the jobs that only views have to
// the check of S1.
func (s *State) checkItems(place func(uint32, string) error) error {
	for name, t := range s.tubes {
		if t.service == nil {
			continue
		}
		if err := cmp.Or(s.checkService(t.service), s.checkItemIndex(t)); err != nil {
			return fmt.Errorf("%w (queue %s)", err, name)
		}
	}
	return cmp.Or(s.checkDeparted(), s.placePassed(place))
}

// placePassed shows the jobs that only views have to the check of S1.
func (s *State) placePassed(place func(uint32, string) error) error {
	for _, t := range s.tubes {
		if t.service == nil || t.service.passed == 0 {
			continue
		}
		o := &t.service.index.order
		for at := o.seek(0); o.at(at) != 0; at = o.next(at) {
			if slot := o.at(at); s.job(slot).state() == Passed {
				if err := place(slot, t.name+" passed"); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// checkItemIndex checks what finds the items of a queue.
func (s *State) checkItemIndex(t *tube) error {
	f := t.service.index
	if err := f.order.check(); err != nil {
		return fmt.Errorf("%w, of tube %q", err, t.name)
	}
	requested, found := 0, 0
	for at := f.order.seek(0); f.order.at(at) != 0; at = f.order.next(at) {
		slot := f.order.at(at)
		found++
		if s.job(slot).tube() != t.slot {
			return fmt.Errorf("F1: job %d is in the order of tube %q", s.job(slot).id(), t.name)
		}
		_, has := s.tagsOf(slot).Get(TagRequest)
		if it := s.itemAt(slot); has != (it != nil && it.requested) {
			return fmt.Errorf("F2: job %d is not filed by its request id", s.job(slot).id())
		}
		if has {
			requested++
		}
		if err := f.gets.check(s, slot); err != nil {
			return err
		}
	}
	if n := t.length(); found > n || found < n && f.cursor == 0 {
		return fmt.Errorf("F1: tube %q has %d jobs, its order %d", t.name, n, found)
	}
	if n, err := f.requests.check(s, t); err != nil || n != requested {
		return fmt.Errorf("F2: %d items of tube %q are found by request ids, %d should be: %w", n, t.name, requested,
			err)
	}
	return f.gets.checkLines()
}

// check walks all rings and counts their items.
func (r requests) check(s *State, t *tube) (n int, err error) {
	for h, head := range r {
		prev := s.added.At(head).prev
		for ref, first := head, true; first || ref != head; first = false {
			it := s.added.At(ref)
			id, _ := s.tagsOf(it.job).Get(TagRequest)
			switch {
			case it.prev != prev || hashRequest(id) != h || s.job(it.job).tube() != t.slot:
				return 0, fmt.Errorf("F2: job %d is in a wrong ring", s.idOf(ref))
			case !first && s.idOf(prev) >= s.idOf(ref):
				return 0, fmt.Errorf("F2: a ring has job %d before %d", s.idOf(prev), s.idOf(ref))
			}
			prev, ref = ref, it.next
			n++
		}
	}
	return n, nil
}

// check looks for gets that wait though they could have an item.
func (g *gets) check(s *State, slot uint32) error {
	j := s.job(slot)
	waits, called := false, false
	for _, w := range g.waits {
		if !visible(j, w.take) || !w.matches(j.id(), s.tagsOf(slot)) {
			continue
		}
		if !w.take && w.lined() {
			return fmt.Errorf("F3: a get waits for job %d, which is there", j.id())
		}
		waits = waits || w.lined()
		called = called || w.take && w.called == j.id()
	}
	if waits && !called {
		return fmt.Errorf("F3: a get waits to take job %d, and none is called", j.id())
	}
	return nil
}

// checkLines looks for gets in wrong lines.
func (g *gets) checkLines() error {
	n := 0
	lines := map[*getLine]bool{&g.others.lookers: false, &g.others.takers: true} // whether its gets take
	for h, l := range g.requests {
		lines[&l.lookers], lines[&l.takers] = false, true
		if first := cmp.Or(l.lookers.First(), l.takers.First()); first == nil || first.hash != h {
			return fmt.Errorf("F4: a line of gets is empty, or filed wrongly")
		}
	}
	for l, takes := range lines {
		err := l.CheckAll(func(w *waitGet) error {
			if w.line() != l || w.take != takes || w.called != 0 || g.waits[w.getter] != w {
				return fmt.Errorf("F4: a get stands in a line wrongly")
			}
			return nil
		})
		if err != nil {
			return err
		}
		n += l.N
	}
	for _, w := range g.waits {
		if !w.lined() && w.called == 0 {
			return fmt.Errorf("F4: a get neither waits nor is called")
		}
		if w.lined() {
			n--
		}
	}
	if n != 0 {
		return fmt.Errorf("F4: the lines have %d gets too many", n)
	}
	return nil
}

// check walks the order.
func (o *order) check() error {
	n, prev := 0, uint64(0)
	for i, r := range o.runs {
		if len(r.slots) == 0 || len(r.slots) > runMost || r.from <= prev && n > 0 {
			return fmt.Errorf("F1: run %d of an order has %d jobs from %d on, after %d", i, len(r.slots), r.from, prev)
		}
		for _, slot := range r.slots {
			id := o.jobs.At(slot).id()
			if id < r.from || id <= prev {
				return fmt.Errorf("F1: job %d comes after %d in an order, in a run from %d on", id, prev, r.from)
			}
			prev = id
		}
		n += len(r.slots)
	}
	if n != o.n {
		return fmt.Errorf("F1: an order counts %d jobs, has %d", o.n, n)
	}
	return nil
}
