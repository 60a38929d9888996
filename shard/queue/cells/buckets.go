package cells

import "math/bits"

// Buckets are the heads of a linear hash's chains. Whoever has them has the records of the chains, too: Gain and
// Lose return the chain that is to be filed again.
type Buckets struct {
	linear
	N     uint32 // records
	least uint32 // with fewer it shrinks; Lose is to be inlined
	heads [][]uint32
}

const bucketsMinLevel = ChunkShift

// NewBuckets makes buckets for few records.
func NewBuckets() Buckets {
	return Buckets{linear: linear{level: bucketsMinLevel}, heads: [][]uint32{make([]uint32, ChunkLen)}}
}

// Head is where the chain of a bucket begins; 0 for an empty one.
func (b *Buckets) Head(at uint32) *uint32 { return &b.heads[at>>ChunkShift][at&ChunkMask] }

// Gain counts a record that has come.
func (b *Buckets) Gain() (again uint32) {
	if b.N++; b.N <= b.Len() {
		return 0
	}
	return b.grow()
}

// Lose counts a record that has gone.
func (b *Buckets) Lose() (again uint32) {
	if b.N--; b.N >= b.least {
		return 0
	}
	return b.shrink()
}

// bound is to be called when the number of buckets has changed.
func (b *Buckets) bound() {
	if b.least = b.Len() / 4; b.Len() == 1<<bucketsMinLevel {
		b.least = 0
	}
}

// grow splits the next bucket in two.
func (b *Buckets) grow() (again uint32) {
	from, to, _ := b.widen()
	if int(to>>ChunkShift) == len(b.heads) {
		b.heads = append(b.heads, make([]uint32, ChunkLen))
	}
	again = *b.Head(from)
	*b.Head(from), *b.Head(to) = 0, 0
	b.bound()
	return again
}

// shrink is grow backwards.
func (b *Buckets) shrink() (again uint32) {
	last, _ := b.narrow()
	again = *b.Head(last)
	*b.Head(last) = 0
	if keep := int(last>>ChunkShift) + 2; keep < len(b.heads) {
		b.heads[keep] = nil
		b.heads = b.heads[:keep]
	}
	b.bound()
	return again
}

// Fit makes room for the records that it counts already, none of which is in a chain.
func (b *Buckets) Fit() {
	total := max(b.N, 1<<bucketsMinLevel)
	b.level = uint(bits.Len32(total) - 1)
	b.split = total - 1<<b.level
	b.bound()
	for len(b.heads)<<ChunkShift < int(total) {
		b.heads = append(b.heads, make([]uint32, ChunkLen))
	}
}

// Room is for how many buckets there is memory.
func (b *Buckets) Room() uint32 { return uint32(len(b.heads)) << ChunkShift }
