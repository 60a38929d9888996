package cells

import "math/bits"

// slots hands out small numbers, chunk by chunk, so that what they number can
// be kept in chunks too: growing never copies, and memory of an empty chunk
// can be given back.
type slots struct {
	size   int32 // slots of a chunk
	shift  uint  // log2 of size, rounded up: the numbers between go unused
	chunks []slotChunk
	open   []uint32 // chunks with a free slot; the last is used first
	bare   []uint32 // chunks without memory that take has moved out of open
	empty  int      // chunks without a used slot that still have memory
}

type slotChunk struct {
	free   []uint64 // a set bit is a free slot
	used   int32
	first  int32 // no word of free before this one has a bit set
	listed bool  // stands in open
	backed bool  // the owner has memory for it
}

func newSlots(size int) slots { return slots{size: int32(size), shift: uint(bits.Len(uint(size - 1)))} }

// take returns a free slot. When fresh is true the slot's chunk needs memory
// before the slot may be used.
func (s *slots) take() (slot uint32, fresh bool) {
	ci := s.openChunk()
	c := &s.chunks[ci]
	if !c.backed {
		c.backed, fresh = true, true
	} else if c.used == 0 {
		s.empty--
	}
	w := c.first
	for c.free[w] == 0 {
		w++
	}
	c.first = w
	bit := bits.TrailingZeros64(c.free[w])
	c.free[w] &^= 1 << bit
	slot = ci<<s.shift | uint32(int(w)<<6+bit)
	c.used++
	if c.used == s.size {
		c.listed = false
		s.open = s.open[:len(s.open)-1]
	}
	return slot, fresh
}

// openChunk returns a chunk with a free slot: one that has memory, if there is one.
// Otherwise a load around the border of a chunk would allocate at each crossing.
func (s *slots) openChunk() uint32 {
	for n := len(s.open) - 1; n >= 0; n-- {
		ci := s.open[n]
		if s.chunks[ci].backed {
			return ci
		}
		s.chunks[ci].listed = false
		s.open = s.open[:n]
		s.bare = append(s.bare, ci)
	}
	ci := uint32(len(s.chunks))
	if n := len(s.bare); n > 0 {
		ci = s.bare[n-1]
		s.bare = s.bare[:n-1]
		s.chunks[ci].listed = true
	} else {
		s.chunks = append(s.chunks, newSlotChunk(int(s.size)))
	}
	s.open = append(s.open, ci)
	return ci
}

// Following is the first slot in use from this one on, in its chunk, or the first number of the next chunk.
func (s *slots) Following(slot uint32) uint32 {
	ci := slot >> s.shift
	free := s.chunks[ci].free
	at := slot & (1<<s.shift - 1)
	for w := at >> 6; w < uint32(len(free)); w++ {
		used := ^free[w]
		if w == at>>6 {
			used &= ^uint64(0) << (at & 63)
		}
		if i := w<<6 + uint32(bits.TrailingZeros64(used)); used != 0 && i < uint32(s.size) {
			return ci<<s.shift | i
		}
	}
	return (ci + 1) << s.shift
}

// give returns a slot. When it reports true the memory of the slot's chunk
// is not needed any more; one empty chunk is kept, so that a load around a
// chunk's border does not allocate at each crossing.
func (s *slots) give(slot uint32) (drop bool) {
	c := &s.chunks[slot>>s.shift]
	i := slot & (1<<s.shift - 1)
	if c.free[i>>6]&(1<<(i&63)) != 0 {
		panic("cells: slot freed twice")
	}
	c.free[i>>6] |= 1 << (i & 63)
	c.first = min(c.first, int32(i>>6))
	c.used--
	if !c.listed {
		c.listed = true
		s.open = append(s.open, slot>>s.shift)
	}
	if c.used > 0 {
		return false
	}
	if s.empty == 0 {
		s.empty++
		return false
	}
	c.backed = false
	return true
}

func newSlotChunk(n int) slotChunk {
	c := slotChunk{free: make([]uint64, (n+63)/64), listed: true}
	for w := range c.free {
		c.free[w] = ^uint64(0)
	}
	if n%64 != 0 {
		c.free[len(c.free)-1] = 1<<(n%64) - 1
	}
	return c
}

// inUse counts the slots that are taken.
func (s *slots) inUse() (n int) {
	for i := range s.chunks {
		n += int(s.chunks[i].used)
	}
	return n
}
