package queue

// inlineMax is the largest body that is kept in cells of a slab. Larger ones
// are ordinary memory that answers refer to instead of copying.
const inlineMax = 2048

// bodies keeps the bodies of all jobs of a shard. A reference together with
// the body's size finds it; the size alone tells the class.
type bodies struct {
	classes []cells
	large   slots
	parts   [][][]byte // large bodies, by slot, each in parts
}

func newBodies() bodies {
	b := bodies{classes: make([]cells, len(cellSizes)), large: newSlots(64)}
	for i := range b.classes {
		b.classes[i] = newCells(cellSizes[i])
	}
	return b
}

// add stores a copy of data, or takes over parts when there are any.
func (b *bodies) add(data []byte, parts [][]byte, size int) uint32 {
	switch {
	case size == 0:
		return 0
	case size <= inlineMax:
		c := &b.classes[classOf[(size+7)/8]]
		ref := c.alloc()
		dst := c.at(ref)[:0]
		dst = append(dst, data...)
		for _, p := range parts {
			dst = append(dst, p...)
		}
		return ref
	}
	if parts == nil {
		parts = [][]byte{append(make([]byte, 0, size), data...)}
	}
	ref, _ := b.large.take()
	for int(ref) >= len(b.parts) {
		b.parts = append(b.parts, nil)
	}
	b.parts[ref] = parts
	return ref
}

// get returns the body: small ones as a view that ends with the turn, large
// ones as parts that nobody ever changes.
func (b *bodies) get(ref uint32, size uint32) (small []byte, large [][]byte) {
	switch {
	case size == 0:
		return nil, nil
	case size <= inlineMax:
		return b.classes[classOf[(size+7)/8]].at(ref)[:size], nil
	}
	return nil, b.parts[ref]
}

func (b *bodies) drop(ref uint32, size uint32) {
	switch {
	case size == 0:
	case size <= inlineMax:
		b.classes[classOf[(size+7)/8]].release(ref)
	default:
		b.parts[ref] = nil
		b.large.give(ref)
	}
}

// cellSizes are the classes of small bodies: steps of 8 bytes up to 128, then
// eight steps for each doubling, so that at most an eighth is lost.
// classOf finds the class of a size in units of 8 bytes, rounded up.
var cellSizes, classOf = cellClasses()

func cellClasses() (sizes []int, of [inlineMax/8 + 1]uint8) {
	step := 8
	for n := 8; n <= inlineMax; n += step {
		sizes = append(sizes, n)
		if n >= 128 && n&(n-1) == 0 {
			step = n / 8
		}
	}
	class := 0
	for units := 1; units < len(of); units++ {
		if units*8 > sizes[class] {
			class++
		}
		of[units] = uint8(class)
	}
	return sizes, of
}

// cells is a slab of byte cells of one size.
type cells struct {
	slots
	size   int
	memory [][]byte
}

// cellChunk is small, so that many classes with few jobs each stay cheap, and
// a size in which Go's allocator wastes nothing.
const cellChunk = 16 << 10

func newCells(size int) cells { return cells{slots: newSlots(cellChunk / size), size: size} }

func (c *cells) alloc() uint32 {
	slot, fresh := c.take()
	if fresh {
		ci := int(slot >> c.shift)
		for ci >= len(c.memory) {
			c.memory = append(c.memory, nil)
		}
		c.memory[ci] = make([]byte, cellChunk)
	}
	return slot
}

func (c *cells) at(slot uint32) []byte {
	off := int(slot&(1<<c.shift-1)) * c.size
	return c.memory[slot>>c.shift][off : off+c.size : off+c.size]
}

func (c *cells) release(slot uint32) {
	if c.give(slot) {
		c.memory[slot>>c.shift] = nil
	}
}
