package queue

// pages is a list that grows by a chunk at a time and is never copied. When a slice of
// three hundred thousand pointers grows, its shard stops for some milliseconds, and for
// ten times as long while garbage is being collected.
type pages[T any] struct {
	n      uint32
	chunks []*[chunkLen]T
}

func (p *pages[T]) get(i uint32) T    { return p.chunks[i>>chunkShift][i&chunkMask] }
func (p *pages[T]) set(i uint32, v T) { p.chunks[i>>chunkShift][i&chunkMask] = v }

func (p *pages[T]) push(v T) {
	if int(p.n>>chunkShift) == len(p.chunks) {
		p.chunks = append(p.chunks, new([chunkLen]T))
	}
	p.n++
	p.set(p.n-1, v)
}

// pop takes out the last element. It keeps one spare chunk, for loads that go back and
// forth across a chunk's border.
func (p *pages[T]) pop() T {
	var zero T
	p.n--
	last := p.get(p.n)
	p.set(p.n, zero)
	if keep := int(p.n>>chunkShift) + 2; keep < len(p.chunks) {
		p.chunks[keep] = nil
		p.chunks = p.chunks[:keep]
	}
	return last
}
