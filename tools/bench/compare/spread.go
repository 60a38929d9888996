//go:build linux

package compare

import (
	"fmt"
	"math"
	"slices"
)

// A spread is what several rounds gave: the middle and the edges.
type spread struct{ median, min, max float64 }

// sorted leaves out what is not a number: a ratio to something that was not measured.
func sorted(values []float64) []float64 {
	v := slices.DeleteFunc(slices.Clone(values), func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) })
	slices.Sort(v)
	return v
}

func spreadOf(values []float64) spread {
	v := sorted(values)
	n := len(v)
	if n == 0 {
		return spread{math.NaN(), math.NaN(), math.NaN()}
	}
	return spread{(v[(n-1)/2] + v[n/2]) / 2, v[0], v[n-1]}
}

func (s spread) known() bool { return !math.IsNaN(s.median) }

// String shows a ratio: 2.03 (1.95–2.11).
func (s spread) String() string {
	if s.min == s.max || !s.known() {
		return short(s.median)
	}
	return fmt.Sprintf("%s (%s–%s)", short(s.median), short(s.min), short(s.max))
}

// short shows a number with three digits that matter.
func short(v float64) string {
	switch a := math.Abs(v); {
	case math.IsNaN(v):
		return "–"
	case a >= 100:
		return grouped(v)
	case a >= 10:
		return fmt.Sprintf("%.1f", v)
	case a >= 1 || a == 0:
		return fmt.Sprintf("%.2f", v)
	default:
		return fmt.Sprintf("%.3f", v)
	}
}

// grouped shows a whole number with commas between thousands.
func grouped(v float64) string {
	s := fmt.Sprintf("%.0f", v)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
