package queue

import (
	"cmp"
	"fmt"
)

// checkItemIndex checks what finds the items of a queue.
func (s *State) checkItemIndex(t *tube) error {
	f := t.service.index
	if err := f.order.check(&s.jobs); err != nil {
		return fmt.Errorf("%w, of tube %q", err, t.name)
	}
	requested, found := 0, 0
	for at := f.order.seek(&s.jobs, 0); f.order.at(at) != 0; at = f.order.next(at) {
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
	if n := t.length(); found > n || found < n && f.cursor == wholeIndex {
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
		if first := cmp.Or(l.lookers.Head, l.takers.Head); first == nil || first.hash != h {
			return fmt.Errorf("F4: a line of gets is empty, or filed wrongly")
		}
	}
	for l, takes := range lines {
		err := l.Check((*waitGet).links, func(w *waitGet) error {
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
