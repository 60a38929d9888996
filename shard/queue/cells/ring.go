package cells

// Ring is first in, first out, and keeps its memory.
type Ring[T any] struct {
	all  []T // its length is a power of two
	from int
	N    int
}

// Push appends a value.
func (r *Ring[T]) Push(v T) {
	if r.N == len(r.all) {
		bigger := make([]T, max(8, 2*r.N))
		n := copy(bigger, r.all[r.from:])
		copy(bigger[n:], r.all[:r.from])
		r.all, r.from = bigger, 0
	}
	r.all[(r.from+r.N)&(len(r.all)-1)] = v
	r.N++
}

// Pop takes out the first value; there must be one.
func (r *Ring[T]) Pop() T {
	var zero T
	v := r.all[r.from]
	r.all[r.from] = zero
	r.from = (r.from + 1) & (len(r.all) - 1)
	r.N--
	return v
}
