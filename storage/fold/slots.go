package fold

import "slices"

// slots counts how many operations still count in each slot of the log. Slots are known by
// their sequences, which are dense, and only few are in use at a time.
type slots struct {
	first uint32 // the sequence of the first
	n     []int
}

func (s *slots) add(seq uint32, by int) {
	if i := int(seq - s.first); i >= len(s.n) {
		s.grow(seq)
	}
	s.n[seq-s.first] += by
}

// grow adds slots up to one, and forgets those before the first in which something counts.
func (s *slots) grow(seq uint32) {
	used := slices.IndexFunc(s.n, func(n int) bool { return n != 0 })
	if used < 0 {
		s.first, s.n = seq, s.n[:0]
	} else {
		s.first, s.n = s.first+uint32(used), slices.Delete(s.n, 0, used)
	}
	for uint32(len(s.n)) <= seq-s.first {
		s.n = append(s.n, 0)
	}
}

func (s *slots) left(seq uint32) int {
	if i := int(seq - s.first); i < len(s.n) {
		return s.n[i]
	}
	return 0
}
