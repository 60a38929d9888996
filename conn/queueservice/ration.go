package queueservice

import "sync/atomic"

// ration bounds what many requests hold together, in bytes.
type ration struct {
	most int64
	held atomic.Int64
}

// How much memory the bodies of batches and lists of indexes may take together, and the
// answers of gets beyond their first portion.
const (
	mostBodies  = 256 << 20
	mostAnswers = 256 << 20
)

// take reports whether there is room for n bytes more, which are then held.
func (r *ration) take(n int) bool {
	if r.held.Add(int64(n)) <= r.most {
		return true
	}
	r.held.Add(-int64(n))
	return false
}

func (r *ration) give(n int) { r.held.Add(-int64(n)) }

// share is what one request holds of a ration.
type share struct {
	of   *ration
	held int
}

// grow reports whether the request may hold n bytes more.
func (s *share) grow(n int) bool {
	if !s.of.take(n) {
		return false
	}
	s.held += n
	return true
}

// end gives all of it back.
func (s *share) end() {
	s.of.give(s.held)
	s.held = 0
}
