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

// A heap under random pushes, removals and updates at any position always has
// what a sorted slice has, and every slot knows its place (S4).
func TestHeap(t *testing.T) {
	const slots = 5000
	rnd := rand.New(rand.NewPCG(1, 1))
	var h heap
	var p positions
	var in []uint32 // slots in the heap
	keys := map[uint32]entry{}
	where := map[uint32]int{}
	free := rnd.Perm(slots)
	key := func(slot uint32) entry {
		return entry{uint64(rnd.IntN(50)), slot, slot} // many equal majors
	}
	check := func() {
		t.Helper()
		if err := checkHeap(&h, p); err != nil {
			t.Fatal(err)
		}
		if int(h.n) != len(in) {
			t.Fatalf("%d entries, want %d", h.n, len(in))
		}
		for slot, e := range keys {
			if *h.at(p.get(slot)) != e {
				t.Fatalf("slot %d has %+v, want %+v", slot, *h.at(p.get(slot)), e)
			}
		}
	}
	drop := func(slot uint32) {
		i := where[slot]
		in[i] = in[len(in)-1]
		where[in[i]] = i
		in = in[:len(in)-1]
		delete(keys, slot)
		delete(where, slot)
		free = append(free, int(slot))
	}
	for step, grow := 0, true; step < 60000; step++ {
		if len(free) == 0 {
			grow = false
		} else if len(in) == 0 {
			grow = true
		}
		switch r := rnd.IntN(10); {
		case r < 6 == grow && len(free) > 0:
			slot := uint32(free[len(free)-1])
			free = free[:len(free)-1]
			keys[slot] = key(slot)
			where[slot] = len(in)
			in = append(in, slot)
			p.cover(slot)
			h.push(p, keys[slot])
		case r < 8 && len(in) > 0:
			slot := in[rnd.IntN(len(in))]
			h.remove(p, p.get(slot))
			drop(slot)
		case r == 8 && len(in) > 0:
			slot := h.top().slot
			h.remove(p, 0)
			drop(slot)
		case len(in) > 0:
			slot := in[rnd.IntN(len(in))]
			keys[slot] = key(slot)
			h.update(p, p.get(slot), keys[slot])
		}
		if step%500 == 0 {
			check()
		}
	}
	check()
	var want []entry
	for _, e := range keys {
		want = append(want, e)
	}
	slices.SortFunc(want, compareEntries)
	for i, e := range want {
		if h.top() != e {
			t.Fatalf("entry %d is %+v, want %+v", i, h.top(), e)
		}
		h.remove(p, 0)
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
			if err := checkHeap(&h, p); err != nil || h.n != n-1 {
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
