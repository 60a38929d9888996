package queue

import "fmt"

// row holds entries that came in order, in a ring, where adding and removing take constant
// time. One that is taken out of the middle leaves a gap, an entry with slot 0, which goes
// when it is the first.
type row struct {
	ring []entry // its length is a power of two
	from uint32  // the first entry, which is no gap
	n    uint32  // entries and gaps
}

const (
	rowMost = 1024
	inRow   = 1 << 31 // marks a position in a row
)

// push appends an entry, unless it comes before the last one or there is no room.
func (r *row) push(p positions, e entry) bool {
	mask := uint32(len(r.ring) - 1)
	if r.n > 0 && e.before(r.ring[(r.from+r.n-1)&mask]) {
		return false
	}
	if int(r.n) == len(r.ring) {
		if r.n == rowMost {
			return false
		}
		r.grow(p)
		mask = uint32(len(r.ring) - 1)
	}
	at := (r.from + r.n) & mask
	r.ring[at] = e
	r.n++
	p.set(e.slot, inRow|at)
	return true
}

func (r *row) grow(p positions) {
	bigger := make([]entry, max(8, 2*len(r.ring)))
	n := copy(bigger, r.ring[r.from:])
	copy(bigger[n:], r.ring[:r.from])
	r.ring, r.from = bigger, 0
	for i, e := range bigger[:r.n] {
		if e.slot != 0 {
			p.set(e.slot, inRow|uint32(i))
		}
	}
}

// first is the entry that came first; there must be one.
func (r *row) first() entry { return r.ring[r.from] }

// remove takes out the entry at a position.
func (r *row) remove(pos uint32) {
	at, mask := pos&^inRow, uint32(len(r.ring)-1)
	r.ring[at].slot = 0
	for r.n > 0 && r.ring[r.from].slot == 0 {
		r.from = (r.from + 1) & mask
		r.n--
	}
}

// check walks the row, and counts the entries.
func (r *row) check(p positions, see func(entry) error) (n int, err error) {
	var last entry
	for i := range r.n {
		at := (r.from + i) & uint32(len(r.ring)-1)
		e := r.ring[at]
		if i > 0 && e.before(last) || i == 0 && e.slot == 0 {
			return 0, fmt.Errorf("S4: place %d of a row is out of order, or a gap at the beginning", i)
		}
		if last = e; e.slot == 0 {
			continue
		}
		if n++; p.get(e.slot) != inRow|at {
			return 0, fmt.Errorf("S4: place %d of a row believes to be at %d", at, p.get(e.slot))
		}
		if err := see(e); err != nil {
			return 0, err
		}
	}
	return n, nil
}
