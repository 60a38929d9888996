package result

import (
	"fmt"
	"math"
	"slices"
)

// A Spread is what several rounds gave: the middle and the edges.
type Spread struct{ Median, Min, Max float64 }

// SpreadOf leaves out what is not a number: a ratio to something that was not
// measured.
func SpreadOf(values []float64) Spread {
	var v []float64
	for _, x := range values {
		if !math.IsNaN(x) && !math.IsInf(x, 0) {
			v = append(v, x)
		}
	}
	if len(v) == 0 {
		return Spread{math.NaN(), math.NaN(), math.NaN()}
	}
	slices.Sort(v)
	middle := len(v) / 2
	median := v[middle]
	if len(v)%2 == 0 {
		median = (v[middle-1] + v[middle]) / 2
	}
	return Spread{median, v[0], v[len(v)-1]}
}

func (s Spread) Known() bool { return !math.IsNaN(s.Median) }

// String shows a ratio: 2.03 (1.95–2.11).
func (s Spread) String() string {
	if !s.Known() {
		return "–"
	}
	if s.Min == s.Max {
		return Short(s.Median)
	}
	return fmt.Sprintf("%s (%s–%s)", Short(s.Median), Short(s.Min), Short(s.Max))
}
