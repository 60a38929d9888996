package cells

import "iter"

// ChunkShift sets how many records, positions and heap entries stand in a
// chunk: large enough that chunks are few, small enough that allocating one
// does not stall the shard.
const (
	ChunkShift = 10
	ChunkLen   = 1 << ChunkShift
	ChunkMask  = ChunkLen - 1
)

// Slab keeps values of one type in chunks. A T without pointers makes the
// chunks invisible to the garbage collector, however many there are. Slot 0
// is never handed out: it means "none".
type Slab[T any] struct {
	slots
	chunks []*[ChunkLen]T
}

// NewSlab makes an empty slab.
func NewSlab[T any]() Slab[T] {
	s := Slab[T]{slots: newSlots(ChunkLen)}
	s.Alloc()
	return s
}

// Alloc returns a slot whose value is the zero T.
func (s *Slab[T]) Alloc() uint32 {
	slot, fresh := s.take()
	if fresh {
		ci := int(slot >> ChunkShift)
		for ci >= len(s.chunks) {
			s.chunks = append(s.chunks, nil)
		}
		s.chunks[ci] = new([ChunkLen]T)
	}
	return slot
}

// At is the value in a slot.
func (s *Slab[T]) At(slot uint32) *T {
	return &s.chunks[slot>>ChunkShift][slot&ChunkMask]
}

// Release empties a slot, for Alloc to hand out again.
func (s *Slab[T]) Release(slot uint32) {
	var zero T
	*s.At(slot) = zero
	if s.give(slot) {
		s.chunks[slot>>ChunkShift] = nil
	}
}

// Chunks is how many chunks there are; slots begin with 0.
func (s *Slab[T]) Chunks() int { return len(s.chunks) }

// All are the slots in use.
func (s *Slab[T]) All() iter.Seq[uint32] {
	return func(yield func(slot uint32) bool) {
		for at := uint32(1); int(at>>ChunkShift) < len(s.chunks); {
			slot := s.Following(at)
			if slot>>ChunkShift != at>>ChunkShift {
				at = slot
			} else if at = slot + 1; !yield(slot) {
				return
			}
		}
	}
}

// Used counts the slots that are in use.
func (s *Slab[T]) Used() int { return s.inUse() - 1 } // slot 0 is taken, too
