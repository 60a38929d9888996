package queue

import (
	"fmt"
	"slices"

	"beanfield/shard/queue/cells"
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
	waits := c.client.waits != nil || c.lined()
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
	leaving := s.leavePos.Get(c.client.slot) != cells.Nowhere
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
	err := s.departed.Check((*consumer).departedLinks, func(c *consumer) error {
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
	return s.leaving.Check(s.leavePos)
}
