package queue

// chunkShift sets how many records, positions and heap entries stand in a
// chunk: large enough that chunks are few, small enough that allocating one
// does not stall the shard.
const chunkShift = 10

const (
	chunkLen  = 1 << chunkShift
	chunkMask = chunkLen - 1
)

// slab keeps values of one type in chunks. A T without pointers makes the
// chunks invisible to the garbage collector, however many there are. Slot 0
// is never handed out: it means "none".
type slab[T any] struct {
	slots
	items []*[chunkLen]T
}

func newSlab[T any]() slab[T] {
	s := slab[T]{slots: newSlots(chunkLen)}
	s.alloc()
	return s
}

// alloc returns a slot whose value is the zero T.
func (s *slab[T]) alloc() uint32 {
	slot, fresh := s.take()
	if fresh {
		ci := int(slot >> chunkShift)
		for ci >= len(s.items) {
			s.items = append(s.items, nil)
		}
		s.items[ci] = new([chunkLen]T)
	}
	return slot
}

func (s *slab[T]) at(slot uint32) *T {
	return &s.items[slot>>chunkShift][slot&chunkMask]
}

func (s *slab[T]) release(slot uint32) {
	var zero T
	*s.at(slot) = zero
	if s.give(slot) {
		s.items[slot>>chunkShift] = nil
	}
}
