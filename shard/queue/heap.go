package queue

import "fmt"

// entry is one place of a heap. The key, (major, minor), is inline, so that sifting
// touches the heap's own memory and the positions only.
type entry struct {
	major uint64
	minor uint32
	slot  uint32
}

func (x entry) before(y entry) bool {
	return x.major < y.major || x.major == y.major && x.minor < y.minor
}

// nowhere is the position of a slot that is in no heap.
const nowhere = ^uint32(0)

// positions remembers, for every slot, where in a heap it stands (S4). A
// slot is in one heap at a time, so all heaps over the same slots share it.
type positions [][]uint32

func (p positions) get(slot uint32) uint32      { return p[slot>>chunkShift][slot&chunkMask] }
func (p positions) set(slot uint32, pos uint32) { p[slot>>chunkShift][slot&chunkMask] = pos }

// cover makes room for slot.
func (p *positions) cover(slot uint32) {
	ci := int(slot >> chunkShift)
	for ci >= len(*p) {
		*p = append(*p, nil)
	}
	if (*p)[ci] == nil {
		(*p)[ci] = make([]uint32, chunkLen)
	}
}

// heap is a 4-ary min-heap in chunks: four children of 16 bytes stand in
// about one cache line, the tree is half as deep as a binary one, and growth
// never copies more than one chunk.
type heap struct {
	n      uint32
	chunks [][]entry
}

func (h *heap) at(i uint32) *entry { return &h.chunks[i>>chunkShift][i&chunkMask] }

// top is the smallest entry; the heap must not be empty.
func (h *heap) top() entry { return h.chunks[0][0] }

func (h *heap) push(p positions, e entry) {
	h.grow()
	h.n++
	h.up(p, h.n-1, e)
}

// remove takes out the entry at position i.
func (h *heap) remove(p positions, i uint32) {
	h.n--
	last := *h.at(h.n)
	if i != h.n {
		h.place(p, i, last)
	}
	h.shrink()
}

// update gives the entry at position i another key.
func (h *heap) update(p positions, i uint32, e entry) { h.place(p, i, e) }

// schedule moves a slot to a time, or takes it out at 0. The heap is a timeline: its
// entries have times as keys, and a slot that is not in it has the position nowhere.
func (h *heap) schedule(p positions, slot uint32, at int64) {
	pos := p.get(slot)
	switch {
	case at == 0 && pos != nowhere:
		h.remove(p, pos)
		p.set(slot, nowhere)
	case at == 0:
	case pos == nowhere:
		h.push(p, entry{uint64(at), slot, slot})
	case int64(h.at(pos).major) != at:
		h.update(p, pos, entry{uint64(at), slot, slot})
	}
}

// place puts e at position i and sifts it whichever way it has to go.
func (h *heap) place(p positions, i uint32, e entry) {
	if i > 0 && e.before(*h.at((i - 1) / 4)) {
		h.up(p, i, e)
	} else {
		h.down(p, i, e)
	}
}

func (h *heap) up(p positions, i uint32, e entry) {
	for i > 0 {
		parent := (i - 1) / 4
		q := h.at(parent)
		if !e.before(*q) {
			break
		}
		*h.at(i) = *q
		p.set(q.slot, i)
		i = parent
	}
	*h.at(i) = e
	p.set(e.slot, i)
}

func (h *heap) down(p positions, i uint32, e entry) {
	for {
		child := 4*i + 1
		if child >= h.n {
			break
		}
		best, bestAt := h.at(child), child
		for k := child + 1; k < child+4 && k < h.n; k++ {
			if q := h.at(k); q.before(*best) {
				best, bestAt = q, k
			}
		}
		if !best.before(e) {
			break
		}
		*h.at(i) = *best
		p.set(best.slot, i)
		i = bestAt
	}
	*h.at(i) = e
	p.set(e.slot, i)
}

// grow makes room for one more. The first chunk doubles, because most heaps
// stay tiny; later ones come whole.
func (h *heap) grow() {
	last := len(h.chunks) - 1
	switch {
	case last < 0:
		h.chunks = append(h.chunks, make([]entry, 4))
	case h.n < uint32(last<<chunkShift+len(h.chunks[last])):
	case len(h.chunks[last]) < chunkLen:
		bigger := make([]entry, 2*len(h.chunks[last]))
		copy(bigger, h.chunks[last])
		h.chunks[last] = bigger
	default:
		h.chunks = append(h.chunks, make([]entry, chunkLen))
	}
}

// shrink gives chunks back, keeping one spare against a load that swings
// around a chunk's border.
func (h *heap) shrink() {
	if keep := int(h.n>>chunkShift) + 2; keep < len(h.chunks) {
		h.chunks[keep] = nil
		h.chunks = h.chunks[:keep]
	}
}

// check walks the heap.
func (h *heap) check(p positions) error {
	for i := range h.n {
		e := *h.at(i)
		if i > 0 && e.before(*h.at((i - 1) / 4)) {
			return fmt.Errorf("S4: heap order is broken at %d", i)
		}
		if p.get(e.slot) != i {
			return fmt.Errorf("S4: entry %d believes to be at %d", i, p.get(e.slot))
		}
	}
	return nil
}
