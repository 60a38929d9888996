package queue

// ring is first in, first out, and keeps its memory.
type ring[T any] struct {
	all  []T // its length is a power of two
	from int
	n    int
}

func (r *ring[T]) push(v T) {
	if r.n == len(r.all) {
		bigger := make([]T, max(8, 2*r.n))
		n := copy(bigger, r.all[r.from:])
		copy(bigger[n:], r.all[:r.from])
		r.all, r.from = bigger, 0
	}
	r.all[(r.from+r.n)&(len(r.all)-1)] = v
	r.n++
}

func (r *ring[T]) pop() T {
	var zero T
	v := r.all[r.from]
	r.all[r.from] = zero
	r.from = (r.from + 1) & (len(r.all) - 1)
	r.n--
	return v
}
