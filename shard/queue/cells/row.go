package cells

import "fmt"

// Row holds entries that came in order, in a ring, where adding and removing take constant
// time. One that is taken out of the middle leaves a gap, an entry with slot 0, which goes
// when it is the first.
type Row struct {
	ring []Entry // its length is a power of two
	from uint32  // the first entry, which is no gap
	N    uint32  // entries and gaps
}

const (
	rowMost = 1024
	InRow   = 1 << 31 // marks a position in a row
)

// Push appends an entry, unless it comes before the last one or there is no room.
func (r *Row) Push(p Positions, e Entry) bool {
	mask := uint32(len(r.ring) - 1)
	if r.N > 0 && e.Before(r.ring[(r.from+r.N-1)&mask]) {
		return false
	}
	if int(r.N) == len(r.ring) {
		if r.N == rowMost {
			return false
		}
		r.grow(p)
		mask = uint32(len(r.ring) - 1)
	}
	at := (r.from + r.N) & mask
	r.ring[at] = e
	r.N++
	p.Set(e.Slot, InRow|at)
	return true
}

func (r *Row) grow(p Positions) {
	bigger := make([]Entry, max(8, 2*len(r.ring)))
	n := copy(bigger, r.ring[r.from:])
	copy(bigger[n:], r.ring[:r.from])
	r.ring, r.from = bigger, 0
	for i, e := range bigger[:r.N] {
		if e.Slot != 0 {
			p.Set(e.Slot, InRow|uint32(i))
		}
	}
}

// First is the entry that came first; there must be one.
func (r *Row) First() Entry { return r.ring[r.from] }

// Remove takes out the entry at a position.
func (r *Row) Remove(pos uint32) {
	at, mask := pos&^InRow, uint32(len(r.ring)-1)
	r.ring[at].Slot = 0
	for r.N > 0 && r.ring[r.from].Slot == 0 {
		r.from = (r.from + 1) & mask
		r.N--
	}
}

// Check walks the row, and counts the entries.
func (r *Row) Check(p Positions, see func(Entry) error) (n int, err error) {
	var last Entry
	for i := range r.N {
		at := (r.from + i) & uint32(len(r.ring)-1)
		e := r.ring[at]
		if i > 0 && e.Before(last) || i == 0 && e.Slot == 0 {
			return 0, fmt.Errorf("S4: place %d of a row is out of order, or a gap at the beginning", i)
		}
		if last = e; e.Slot == 0 {
			continue
		}
		if n++; p.Get(e.Slot) != InRow|at {
			return 0, fmt.Errorf("S4: place %d of a row believes to be at %d", at, p.Get(e.Slot))
		}
		if err := see(e); err != nil {
			return 0, err
		}
	}
	return n, nil
}
