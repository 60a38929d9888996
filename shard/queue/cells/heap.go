package cells

import (
	"fmt"
	"unsafe"
)

// Entry is one place of a heap. The key, (major, minor), is inline, so that sifting
// touches the heap's own memory and the positions only.
type Entry struct {
	Major uint64
	Minor uint32
	Slot  uint32
}

// Before is the order of a heap.
func (x Entry) Before(y Entry) bool {
	return x.Major < y.Major || x.Major == y.Major && x.Minor < y.Minor
}

// Nowhere is the position of a slot that is in no heap.
const Nowhere = ^uint32(0)

// Positions remembers, for every slot, where in a heap it stands (S4). A
// slot is in one heap at a time, so all heaps over the same slots share it.
type Positions [][]uint32

// Get is where a slot stands.
func (p Positions) Get(slot uint32) uint32 { return p[slot>>ChunkShift][slot&ChunkMask] }

// Find is Get for a slot for which there may be no room.
func (p Positions) Find(slot uint32) (pos uint32, covered bool) {
	if ci := int(slot >> ChunkShift); ci >= len(p) || p[ci] == nil {
		return 0, false
	}
	return p.Get(slot), true
}

// Set notes where a slot stands.
func (p Positions) Set(slot uint32, pos uint32) { p[slot>>ChunkShift][slot&ChunkMask] = pos }

// Cover makes room for slot.
func (p *Positions) Cover(slot uint32) {
	ci := int(slot >> ChunkShift)
	for ci >= len(*p) {
		*p = append(*p, nil)
	}
	if (*p)[ci] == nil {
		(*p)[ci] = make([]uint32, ChunkLen)
	}
}

// Heap is a 4-ary min-heap in chunks: four children of 16 bytes stand in
// about one cache line, the tree is half as deep as a binary one, and growth
// never copies more than one chunk.
type Heap struct {
	N      uint32
	chunks [][]Entry
}

// At is the entry at a position.
func (h *Heap) At(i uint32) *Entry { return &h.chunks[i>>ChunkShift][i&ChunkMask] }

// Top is the smallest entry; the heap must not be empty.
func (h *Heap) Top() Entry { return h.chunks[0][0] }

// Has says whether a slot stands in this heap, where its position says: that may be one in another heap.
func (h *Heap) Has(p Positions, slot uint32) bool {
	at := p.Get(slot)
	return at < h.N && h.At(at).Slot == slot
}

// Push adds an entry.
func (h *Heap) Push(p Positions, e Entry) {
	h.grow()
	h.N++
	h.up(p, h.N-1, e)
}

// Remove takes out the entry at position i.
func (h *Heap) Remove(p Positions, i uint32) {
	h.N--
	last := *h.At(h.N)
	if i != h.N {
		h.Update(p, i, last)
	}
	h.shrink()
}

// Update puts e at position i and sifts it whichever way it has to go.
func (h *Heap) Update(p Positions, i uint32, e Entry) {
	if i > 0 && e.Before(*h.At((i - 1) / 4)) {
		h.up(p, i, e)
	} else {
		h.down(p, i, e)
	}
}

func (h *Heap) up(p Positions, i uint32, e Entry) {
	for i > 0 {
		parent := (i - 1) / 4
		q := h.At(parent)
		if !e.Before(*q) {
			break
		}
		*h.At(i) = *q
		p.Set(q.Slot, i)
		i = parent
	}
	*h.At(i) = e
	p.Set(e.Slot, i)
}

func (h *Heap) down(p Positions, i uint32, e Entry) {
	for {
		child := 4*i + 1
		if child >= h.N {
			break
		}
		best, bestAt := h.At(child), child
		for k := child + 1; k < child+4 && k < h.N; k++ {
			if q := h.At(k); q.Before(*best) {
				best, bestAt = q, k
			}
		}
		if !best.Before(e) {
			break
		}
		*h.At(i) = *best
		p.Set(best.Slot, i)
		i = bestAt
	}
	*h.At(i) = e
	p.Set(e.Slot, i)
}

// grow makes room for one more. The first chunk doubles, because most heaps
// stay tiny; later ones come whole.
func (h *Heap) grow() {
	last := len(h.chunks) - 1
	switch {
	case last < 0:
		h.chunks = append(h.chunks, make([]Entry, 4))
	case h.N < uint32(last<<ChunkShift+len(h.chunks[last])):
	case len(h.chunks[last]) < ChunkLen:
		bigger := make([]Entry, 2*len(h.chunks[last]))
		copy(bigger, h.chunks[last])
		h.chunks[last] = bigger
	default:
		h.chunks = append(h.chunks, make([]Entry, ChunkLen))
	}
}

// shrink gives chunks back, keeping one spare against a load that swings
// around a chunk's border.
func (h *Heap) shrink() {
	if keep := int(h.N>>ChunkShift) + 2; keep < len(h.chunks) {
		h.chunks[keep] = nil
		h.chunks = h.chunks[:keep]
	}
}

// Check walks the heap.
func (h *Heap) Check(p Positions) error {
	for i := range h.N {
		e := *h.At(i)
		if i > 0 && e.Before(*h.At((i - 1) / 4)) {
			return fmt.Errorf("S4: heap order is broken at %d", i)
		}
		if p.Get(e.Slot) != i {
			return fmt.Errorf("S4: entry %d believes to be at %d", i, p.Get(e.Slot))
		}
	}
	return nil
}

// Memory is how many bytes the heap takes.
func (h *Heap) Memory() (bytes int) {
	for _, c := range h.chunks {
		bytes += cap(c) * int(unsafe.Sizeof(Entry{}))
	}
	return bytes + cap(h.chunks)*int(unsafe.Sizeof([]Entry{}))
}
