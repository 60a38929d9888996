package cells

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

func compareEntries(a, b Entry) int {
	return cmp.Or(cmp.Compare(a.Major, b.Major), cmp.Compare(a.Minor, b.Minor))
}

// heapModel is a heap beside a map of what it must hold.
type heapModel struct {
	rnd   *rand.Rand
	h     Heap
	p     Positions
	in    []uint32 // slots in the heap
	keys  map[uint32]Entry
	where map[uint32]int // of a slot in in
	free  []int
}

func newHeapModel(slots int) *heapModel {
	rnd := rand.New(rand.NewPCG(1, 1))
	return &heapModel{rnd: rnd, keys: map[uint32]Entry{}, where: map[uint32]int{}, free: rnd.Perm(slots)}
}

func (m *heapModel) key(slot uint32) Entry {
	return Entry{uint64(m.rnd.IntN(50)), slot, slot} // many equal majors
}

func (m *heapModel) check(t *testing.T) {
	t.Helper()
	if err := m.h.Check(m.p); err != nil {
		t.Fatal(err)
	}
	if int(m.h.N) != len(m.in) {
		t.Fatalf("%d entries, want %d", m.h.N, len(m.in))
	}
	for slot, e := range m.keys {
		if *m.h.At(m.p.Get(slot)) != e {
			t.Fatalf("slot %d has %+v, want %+v", slot, *m.h.At(m.p.Get(slot)), e)
		}
	}
}

func (m *heapModel) push() {
	slot := uint32(m.free[len(m.free)-1])
	m.free = m.free[:len(m.free)-1]
	m.keys[slot] = m.key(slot)
	m.where[slot] = len(m.in)
	m.in = append(m.in, slot)
	m.p.Cover(slot)
	m.h.Push(m.p, m.keys[slot])
}

func (m *heapModel) drop(slot uint32) {
	m.h.Remove(m.p, m.p.Get(slot))
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
		m.drop(m.h.Top().Slot)
	default:
		slot := m.pick()
		m.keys[slot] = m.key(slot)
		m.h.Update(m.p, m.p.Get(slot), m.keys[slot])
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
	var want []Entry
	for _, e := range m.keys {
		want = append(want, e)
	}
	slices.SortFunc(want, compareEntries)
	for i, e := range want {
		if m.h.Top() != e {
			t.Fatalf("entry %d is %+v, want %+v", i, m.h.Top(), e)
		}
		m.h.Remove(m.p, 0)
	}
}

// Every position of heaps of every small size can be removed. Removing the
// last entry, or one whose parent has an equal key, is where others failed.
func TestHeapRemoveAnywhere(t *testing.T) {
	for n := range uint32(40) {
		for i := range n {
			var h Heap
			var p Positions
			for slot := range n {
				p.Cover(slot)
				h.Push(p, Entry{uint64(slot % 3), 0, slot}) // even the ties are equal
			}
			gone := h.At(i).Slot
			h.Remove(p, i)
			if err := h.Check(p); err != nil || h.N != n-1 {
				t.Fatalf("%d of %d: %v", i, n, err)
			}
			for k := range h.N {
				if h.At(k).Slot == gone {
					t.Fatalf("%d of %d is still there", i, n)
				}
			}
		}
	}
}

func TestHeapGivesMemoryBack(t *testing.T) {
	var h Heap
	var p Positions
	for slot := range uint32(10 * ChunkLen) {
		p.Cover(slot)
		h.Push(p, Entry{uint64(slot), 0, slot})
	}
	for h.N > 0 {
		h.Remove(p, h.N-1)
		if keep := int(h.N>>ChunkShift) + 2; len(h.chunks) > keep {
			t.Fatalf("%d chunks for %d entries", len(h.chunks), h.N)
		}
	}
}
