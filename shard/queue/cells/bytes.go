package cells

// SmallMost is the length of the largest string that is kept in a slab. Larger ones are
// ordinary memory that others may refer to instead of copying it.
const SmallMost = 2048

// Bytes keeps strings of bytes. A reference together with the string's size finds it; the
// size alone tells the class.
type Bytes struct {
	classes []byteSlab
	large   slots
	parts   [][][]byte // large strings, by slot, each in parts
}

// NewBytes makes an empty store.
func NewBytes() Bytes {
	b := Bytes{classes: make([]byteSlab, len(cellSizes)), large: newSlots(64)}
	for i := range b.classes {
		b.classes[i] = newByteSlab(cellSizes[i])
	}
	return b
}

// Add stores a copy of data, or takes over parts when there are any.
func (b *Bytes) Add(data []byte, parts [][]byte, size int) uint32 {
	switch {
	case size == 0:
		return 0
	case size <= SmallMost:
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

// Get returns a string: a small one as a view that is good until the next Drop or Add, a large
// one as parts that nobody ever changes.
func (b *Bytes) Get(ref uint32, size uint32) (small []byte, large [][]byte) {
	switch {
	case size == 0:
		return nil, nil
	case size <= SmallMost:
		return b.classes[classOf[(size+7)/8]].at(ref)[:size], nil
	}
	return nil, b.parts[ref]
}

// Drop forgets a string.
func (b *Bytes) Drop(ref uint32, size uint32) {
	switch {
	case size == 0:
	case size <= SmallMost:
		b.classes[classOf[(size+7)/8]].release(ref)
	default:
		b.parts[ref] = nil
		b.large.give(ref)
	}
}

// Used counts the small strings and the large ones.
func (b *Bytes) Used() (small, large int) {
	for i := range b.classes {
		small += b.classes[i].inUse()
	}
	return small, b.large.inUse()
}

// cellSizes are the classes of small strings: steps of 8 bytes up to 128, then
// eight steps for each doubling, so that at most an eighth is lost.
// classOf finds the class of a size in units of 8 bytes, rounded up.
var cellSizes, classOf = cellClasses()

func cellClasses() (sizes []int, of [SmallMost/8 + 1]uint8) {
	step := 8
	for n := 8; n <= SmallMost; n += step {
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

// byteSlab is a slab of strings of one size.
type byteSlab struct {
	slots
	size   int
	memory [][]byte
}

// cellChunk is small, so that many classes with few jobs each stay cheap, and
// a size in which Go's allocator wastes nothing.
const cellChunk = 16 << 10

func newByteSlab(size int) byteSlab { return byteSlab{slots: newSlots(cellChunk / size), size: size} }

func (c *byteSlab) alloc() uint32 {
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

func (c *byteSlab) at(slot uint32) []byte {
	off := int(slot&(1<<c.shift-1)) * c.size
	return c.memory[slot>>c.shift][off : off+c.size : off+c.size]
}

func (c *byteSlab) release(slot uint32) {
	if c.give(slot) {
		c.memory[slot>>c.shift] = nil
	}
}
