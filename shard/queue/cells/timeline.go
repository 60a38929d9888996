package cells

// Timeline is a heap of slots by times, each of which stands there once at most. It knows where.
type Timeline struct {
	Heap
	at Positions
}

// Cover makes room for a slot, which is not there.
func (t *Timeline) Cover(slot uint32) {
	t.at.Cover(slot)
	t.at.Set(slot, Nowhere)
}

// Put gives a slot a place by any key, or another one.
func (t *Timeline) Put(e Entry) {
	if pos := t.at.Get(e.Slot); pos == Nowhere {
		t.Push(t.at, e)
	} else {
		t.Update(t.at, pos, e)
	}
}

// Schedule moves a slot to a time, or takes it out at 0.
func (t *Timeline) Schedule(slot uint32, at int64) {
	pos := t.at.Get(slot)
	switch {
	case at == 0 && pos != Nowhere:
		t.Remove(t.at, pos)
		t.at.Set(slot, Nowhere)
	case at == 0:
	case pos == Nowhere:
		t.Push(t.at, Entry{uint64(at), slot, slot})
	case int64(t.At(pos).Major) != at:
		t.Update(t.at, pos, Entry{uint64(at), slot, slot})
	}
}

// When is the time of a slot; 0 if it is not there.
func (t *Timeline) When(slot uint32) int64 {
	if pos := t.at.Get(slot); pos != Nowhere {
		return int64(t.At(pos).Major)
	}
	return 0
}

// Has says whether a slot is there, and at which position.
func (t *Timeline) Has(slot uint32) (at uint32, is bool) {
	at = t.at.Get(slot)
	return at, at != Nowhere
}

// Soonest is the first time; 0 if there is none.
func (t *Timeline) Soonest() int64 {
	if t.N == 0 {
		return 0
	}
	return int64(t.Top().Major)
}

// Due says that the first time has come.
func (t *Timeline) Due(now int64) bool { return t.N > 0 && int64(t.Top().Major) <= now }

// Sooner is the earlier one of two times; 0 is never.
func Sooner(a, b int64) int64 {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}

// Check walks the timeline.
func (t *Timeline) Check() error { return t.Heap.Check(t.at) }
