package cells

import "fmt"

// Ranking is a further order of some things that have an order already, each with a size. It costs 20 bytes for
// each, and may be forgotten, or begun anew, without a visit to any of them.
type Ranking struct {
	Heap
	Size int64 // of all of them
}

// find is where in the ranking a slot is. A position that was noted for another ranking, or
// before the slot left this one, leads to an entry of another slot, or to none.
func (r *Ranking) find(p *Positions, slot uint32) (at uint32, found bool) {
	p.Cover(slot)
	at = p.Get(slot)
	return at, at < r.N && r.At(at).Slot == slot
}

// Add takes in a slot, unless it is there already.
func (r *Ranking) Add(p *Positions, key Entry, size uint32) {
	if _, found := r.find(p, key.Slot); !found {
		r.Push(*p, key)
		r.Size += int64(size)
	}
}

// Drop forgets a slot, unless it was never taken in.
func (r *Ranking) Drop(p *Positions, slot, size uint32) {
	if at, found := r.find(p, slot); found {
		r.Remove(*p, at)
		r.Size -= int64(size)
	}
}

// Check looks for slots that are ranked wrongly, by the keys and sizes that they should have; ok is false for those
// that should not be there.
func (r *Ranking) Check(p Positions, of func(slot uint32) (key Entry, size uint32, ok bool)) error {
	sum := int64(0)
	for i := range r.N {
		e := *r.At(i)
		key, size, ok := of(e.Slot)
		if !ok || key != e {
			return fmt.Errorf("M2: slot %d is ranked wrongly", e.Slot)
		}
		sum += int64(size)
	}
	if sum != r.Size {
		return fmt.Errorf("M2: what is ranked has size %d, not %d", sum, r.Size)
	}
	return r.Heap.Check(p)
}
