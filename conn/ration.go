package conn

import "sync/atomic"

// Ration bounds what many clients hold together, in bytes.
type Ration struct{ most, held atomic.Int64 }

// UsualRation is for bodies that are arriving at a front end, and the like.
const UsualRation = 256 << 20

// Bound sets how much may be held. What is held already stays.
func (r *Ration) Bound(most int64) { r.most.Store(most) }

// Held is how much is held.
func (r *Ration) Held() int64 { return r.held.Load() }

// Share is what one client holds of a ration.
type Share struct {
	Of   *Ration
	held int
}

// Grow reports whether there is room for n bytes more, which are then held.
func (s *Share) Grow(n int) bool {
	if s.Of.held.Add(int64(n)) > s.Of.most.Load() {
		s.Of.held.Add(-int64(n))
		return false
	}
	s.held += n
	return true
}

// End gives all of it back.
func (s *Share) End() {
	if s.held > 0 {
		s.Of.held.Add(-int64(s.held))
		s.held = 0
	}
}
