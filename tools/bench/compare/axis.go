//go:build linux

package compare

import "math"

// An axis places ratios in a chart, on a logarithmic scale: twice and half are equally long.
type axis struct {
	low, high float64
	ticks     []float64
}

// newAxis shows all values, and 1.
func newAxis(values []float64) axis {
	low, high := 1.0, 1.0
	for _, v := range values {
		if v > 0 && !math.IsInf(v, 0) {
			low, high = min(low, v), max(high, v)
		}
	}
	// A tick at each 1, 2, 5, or, where that would be many, at each power of ten.
	steps := []float64{1, 2, 5}
	if high/low > 1000 {
		steps = steps[:1]
	}
	a := axis{low: 1, high: 1}
	for ten := math.Floor(math.Log10(low)); a.high < high || len(a.ticks) < 2; ten++ {
		for _, step := range steps {
			v := step * math.Pow(10, ten)
			switch {
			case a.high >= high && len(a.ticks) > 1:
			case v <= low*1.0001:
				a.low, a.ticks = v, []float64{v}
			default:
				a.high, a.ticks = v, append(a.ticks, v)
			}
		}
	}
	return a
}

// at gives the place of v, from 0 at the axis's start to 1 at its end.
func (a *axis) at(v float64) float64 { return math.Log(v/a.low) / math.Log(a.high/a.low) }
