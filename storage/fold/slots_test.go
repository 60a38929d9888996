package fold

import (
	"testing"

	"pgregory.net/rapid"
)

// Slots count as a map of Go's would, while sequences grow, and keep no more than those between the
// first and the last in which something counts.
func TestSlots(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s slots
		want := map[uint32]int{}
		newest := rapid.Uint32Range(0, 1<<31).Draw(t, "first")
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			newest += uint32(rapid.IntRange(0, 3).Draw(t, "on"))
			s.add(newest, 1)
			want[newest]++
			for seq, n := range want {
				if left := s.left(seq); left != n {
					t.Fatalf("%d in slot %d, want %d", left, seq, n)
				}
			}
			older := newest - uint32(rapid.IntRange(0, 9).Draw(t, "older"))
			for ; want[older] > 0; want[older]-- {
				s.add(older, -1)
			}
			if s.left(older) != 0 || s.left(newest+1) != 0 {
				t.Fatalf("something in slot %d or %d", older, newest+1)
			}
		}
		s.add(newest+1, 1)
		if s.n[0] == 0 || s.first+uint32(len(s.n)) != newest+2 {
			t.Fatalf("%d slots from %d up to %d", len(s.n), s.first, newest+1)
		}
		for i := range s.n {
			s.n[i] = 0
		}
		if s.add(newest+5, 1); len(s.n) != 1 || s.left(newest+5) != 1 {
			t.Fatalf("%d slots when all before the last are free", len(s.n))
		}
	})
}
