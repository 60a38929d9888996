package stack

import "sync/atomic"

// Stack is a list of things that have links of their own. A thing is in one stack at a time, at
// most once.
type Stack[T any] struct {
	newest atomic.Pointer[T]
}

// Push puts v on top. below is v's link.
func (s *Stack[T]) Push(v *T, below **T) {
	for {
		old := s.newest.Load()
		*below = old
		if s.newest.CompareAndSwap(old, v) {
			return
		}
	}
}

// Newest is what is on top, or nil. What is below it may be looked at by whoever takes.
func (s *Stack[T]) Newest() *T { return s.newest.Load() }

// Empty says whether there is nothing.
func (s *Stack[T]) Empty() bool { return s.newest.Load() == nil }

// Take takes out everything: the newest, linked down to the oldest.
func (s *Stack[T]) Take() *T { return s.newest.Swap(nil) }

// TakeInOrder takes out everything: the oldest, linked to the newest.
func (s *Stack[T]) TakeInOrder(link func(*T) **T) *T {
	var oldest *T
	for v := s.Take(); v != nil; {
		below := link(v)
		next := *below
		*below = oldest
		oldest, v = v, next
	}
	return oldest
}
