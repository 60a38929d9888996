package fold

import "beanfield/storage/turns"

// check compares everything with the naive state.
func (h *history) check() {
	h.checkRest()
	h.checkCrash(len(h.log))
	h.checkFind()
	h.checkLeft()
}

// checkRest checks FO1 as it is written: the store, and the turns behind its place.
func (h *history) checkRest() {
	s := h.store.state.clone()
	for _, t := range h.log[h.store.place:] {
		for _, op := range t.ops {
			s.apply(op)
		}
	}
	if !s.equal(h.now) {
		h.fail("FO1: the store and the turns behind %d: %v, want %v", h.store.place, s, h.now)
	}
}

// checkCrash checks FO1 for a crash that leaves n turns: a new window absorbs those behind the
// store's place, and one share of everything takes the store to the state after them.
func (h *history) checkCrash(n int) {
	s, w, want := h.store.clone(), NewWindow(h.store.highest), newState()
	if n > 0 {
		want = h.log[n-1].after
	}
	for i := s.place; i < n; i++ {
		h.absorb(w, i)
	}
	share, older := w.NewShare(), func(id uint64) bool { return h.putAt(id) < h.store.place }
	for _, t := range h.log[s.place:n] {
		if err := share.Collect(t.bytes, t.at); err != nil {
			h.fail("%v", err)
		}
	}
	share.Seal(place(n))
	if wrong := s.take(share, older); wrong != "" {
		h.fail("%s, after a crash that left %d turns", wrong, n)
	}
	share.Done()
	for id := range s.bodies { // start removes those of lost puts
		if id > want.highest {
			delete(s.bodies, id)
		}
	}
	if !s.equal(want) {
		h.fail("FO1: after a crash that left %d turns: %v, want %v", n, s.state, want)
	}
	if w.records.n != 0 || w.updates.n != 0 || len(w.queues) != 0 || w.members.n != 0 || w.live.sum() != 0 {
		h.fail("a window without turns still has something")
	}
}

// checkFind checks FO3.
func (h *history) checkFind() {
	for id := uint64(1); id <= h.now.highest+1; id++ {
		at, n, ok := h.window.Find(id)
		value, living := h.now.records[id]
		stored, inStore := h.store.records[id]
		switch {
		case ok && !living:
			h.fail("FO3: job %d has ended, and is found at %d", id, at)
		case living && !ok && !inStore:
			h.fail("FO3: job %d is nowhere", id)
		case living && inStore && stored != value:
			h.fail("FO3: the store has %q of job %d, want %q", stored, id, value)
		case ok && inStore && !h.stored:
			h.fail("FO3: job %d is in the store, and the window has not forgotten it", id)
		case ok && h.read(at, n) != value:
			h.fail("FO3: at %d is %q, want %q of job %d", at, h.read(at, n), value, id)
		}
	}
}

// read returns the value of the Put at a place.
func (h *history) read(at turns.At, n int) string {
	for _, t := range h.log {
		if t.at <= at && at < t.at+turns.At(len(t.bytes)) {
			op, length, err := turns.NextOp(t.bytes[at-t.at:])
			if err != nil || length != n || op.Kind != turns.Put {
				return "no put"
			}
			return string(op.Value)
		}
	}
	return "no turn"
}

// checkLeft compares Left with a count of the operations that the window may not forget.
func (h *history) checkLeft() {
	want := map[uint32]int{}
	updates, queues := map[uint64]turns.At{}, map[string]turns.At{}
	for i := h.done; i < len(h.log); i++ {
		at := h.log[i].at
		for j, op := range h.log[i].ops {
			_, living := h.now.records[op.ID]
			switch {
			case op.Kind == turns.Put && living, op.Kind == turns.Delete && h.log[i].ends[j]:
				want[at.Seq()]++
			case op.Kind == turns.Update && living:
				updates[op.ID] = at
			case op.Kind == turns.SetQueue, op.Kind == turns.DropQueue:
				queues[string(op.Name)] = at
			case op.Kind == turns.Members:
				queues[ofNodes] = at
			}
		}
	}
	for _, at := range updates {
		want[at.Seq()]++
	}
	for _, at := range queues {
		want[at.Seq()]++
	}
	for i := 0; i <= len(h.log); i += h.perSlot {
		seq := uint32(i / h.perSlot)
		if left := h.window.Left(seq); left != want[seq] {
			h.fail("%d operations in slot %d count, want %d", left, seq, want[seq])
		}
	}
	if sum := h.window.live.sum(); h.done == len(h.log) && sum != 0 {
		h.fail("%d operations count, and there are none", sum)
	}
	if h.window.Highest() != h.now.highest {
		h.fail("the highest id is %d, want %d", h.window.Highest(), h.now.highest)
	}
}
