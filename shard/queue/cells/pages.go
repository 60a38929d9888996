package cells

// Pages is a list that grows by a chunk at a time and is never copied. When a slice of
// three hundred thousand pointers grows, its shard stops for some milliseconds, and for
// ten times as long while garbage is being collected.
type Pages[T any] struct {
	N      uint32
	chunks []*[ChunkLen]T
}

// Get is the element at i.
func (p *Pages[T]) Get(i uint32) T { return p.chunks[i>>ChunkShift][i&ChunkMask] }

// Set replaces it.
func (p *Pages[T]) Set(i uint32, v T) { p.chunks[i>>ChunkShift][i&ChunkMask] = v }

// Push appends an element.
func (p *Pages[T]) Push(v T) {
	if int(p.N>>ChunkShift) == len(p.chunks) {
		p.chunks = append(p.chunks, new([ChunkLen]T))
	}
	p.N++
	p.Set(p.N-1, v)
}

// Pop takes out the last element. It keeps one spare chunk, for loads that go back and
// forth across a chunk's border.
func (p *Pages[T]) Pop() T {
	var zero T
	p.N--
	last := p.Get(p.N)
	p.Set(p.N, zero)
	if keep := int(p.N>>ChunkShift) + 2; keep < len(p.chunks) {
		p.chunks[keep] = nil
		p.chunks = p.chunks[:keep]
	}
	return last
}

// Numbered gives its elements numbers, which are used again. Number 0 is none.
type Numbered[T any] struct {
	Pages[T]
	free Pages[uint32]
}

// Add gives an element a number.
func (n *Numbered[T]) Add(v T) (number uint32) {
	if n.free.N > 0 {
		number = n.free.Pop()
		n.Set(number, v)
		return number
	}
	if n.N == 0 {
		var none T
		n.Push(none)
	}
	n.Push(v)
	return n.N - 1
}

// Drop takes an element out.
func (n *Numbered[T]) Drop(number uint32) {
	var none T
	n.Set(number, none)
	n.free.Push(number)
}
