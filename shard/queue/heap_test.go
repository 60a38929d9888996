package queue

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

func compareEntries(a, b entry) int {
	return cmp.Or(cmp.Compare(a.major, b.major), cmp.Compare(a.minor, b.minor))
}

// heapModel is a heap beside a map of what it must hold.
type heapModel struct {
	rnd   *rand.Rand
	h     heap
	p     positions
	in    []uint32 // slots in the heap
	keys  map[uint32]entry
	where map[uint32]int // of a slot in in
	free  []int
}

func newHeapModel(slots int) *heapModel {
	rnd := rand.New(rand.NewPCG(1, 1))
	return &heapModel{rnd: rnd, keys: map[uint32]entry{}, where: map[uint32]int{}, free: rnd.Perm(slots)}
}

func (m *heapModel) key(slot uint32) entry {
	return entry{uint64(m.rnd.IntN(50)), slot, slot} // many equal majors
}

func (m *heapModel) check(t *testing.T) {
	t.Helper()
	if err := m.h.check(m.p); err != nil {
		t.Fatal(err)
	}
	if int(m.h.n) != len(m.in) {
		t.Fatalf("%d entries, want %d", m.h.n, len(m.in))
	}
	for slot, e := range m.keys {
		if *m.h.at(m.p.get(slot)) != e {
			t.Fatalf("slot %d has %+v, want %+v", slot, *m.h.at(m.p.get(slot)), e)
		}
	}
}

func (m *heapModel) push() {
	slot := uint32(m.free[len(m.free)-1])
	m.free = m.free[:len(m.free)-1]
	m.keys[slot] = m.key(slot)
	m.where[slot] = len(m.in)
	m.in = append(m.in, slot)
	m.p.cover(slot)
	m.h.push(m.p, m.keys[slot])
}

func (m *heapModel) drop(slot uint32) {
	m.h.remove(m.p, m.p.get(slot))
	i := m.where[slot]
	m.in[i] = m.in[len(m.in)-1]
	m.where[m.in[i]] = i
	m.in = m.in[:len(m.in)-1]
	delete(m.keys, slot)
	delete(m.where, slot)
	m.free = append(m.free, int(slot))
}

func (m *heapModel) pick() uint32 { return m.in[m.rnd.IntN(len(m.in))] }

// step changes the heap at random; it becomes larger or smaller on the whole.
func (m *heapModel) step(grow bool) {
	switch r := m.rnd.IntN(10); {
	case r < 6 == grow && len(m.free) > 0:
		m.push()
	case len(m.in) == 0:
	case r < 8:
		m.drop(m.pick())
	case r == 8:
		m.drop(m.h.top().slot)
	default:
		slot := m.pick()
		m.keys[slot] = m.key(slot)
		m.h.update(m.p, m.p.get(slot), m.keys[slot])
	}
}

// A heap under random pushes, removals and updates at any position always has
// what a sorted slice has, and every slot knows its place (S4).
func TestHeap(t *testing.T) {
	m := newHeapModel(5000)
	for step, grow := 0, true; step < 60000; step++ {
		if len(m.free) == 0 {
			grow = false
		} else if len(m.in) == 0 {
			grow = true
		}
		m.step(grow)
		if step%500 == 0 {
			m.check(t)
		}
	}
	m.check(t)
	var want []entry
	for _, e := range m.keys {
		want = append(want, e)
	}
	slices.SortFunc(want, compareEntries)
	for i, e := range want {
		if m.h.top() != e {
			t.Fatalf("entry %d is %+v, want %+v", i, m.h.top(), e)
		}
		m.h.remove(m.p, 0)
	}
}

// Every position of heaps of every small size can be removed. Removing the
// last entry, or one whose parent has an equal key, is where others failed.
func TestHeapRemoveAnywhere(t *testing.T) {
	for n := range uint32(40) {
		for i := range n {
			var h heap
			var p positions
			for slot := range n {
				p.cover(slot)
				h.push(p, entry{uint64(slot % 3), 0, slot}) // even the ties are equal
			}
			gone := h.at(i).slot
			h.remove(p, i)
			if err := h.check(p); err != nil || h.n != n-1 {
				t.Fatalf("%d of %d: %v", i, n, err)
			}
			for k := range h.n {
				if h.at(k).slot == gone {
					t.Fatalf("%d of %d is still there", i, n)
				}
			}
		}
	}
}

func TestHeapGivesMemoryBack(t *testing.T) {
	var h heap
	var p positions
	for slot := range uint32(10 * chunkLen) {
		p.cover(slot)
		h.push(p, entry{uint64(slot), 0, slot})
	}
	for h.n > 0 {
		h.remove(p, h.n-1)
		if keep := int(h.n>>chunkShift) + 2; len(h.chunks) > keep {
			t.Fatalf("%d chunks for %d entries", len(h.chunks), h.n)
		}
	}
}

func TestKeys(t *testing.T) {
	ids := []uint64{1, 2, 1<<32 - 1, 1 << 32, 1<<32 + 1, 1<<53 - 1}
	pris := []uint32{0, 1, 1023, 1024, 1<<32 - 1}
	var keys []entry
	for _, pri := range pris {
		for _, id := range ids {
			keys = append(keys, readyKey(pri, id, 0))
		}
	}
	for i := range keys {
		for k := range keys {
			if keys[i].before(keys[k]) != (i < k) {
				t.Errorf("keys %d and %d are in the wrong order", i, k)
			}
		}
	}
}
