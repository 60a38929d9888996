package compare

import (
	"math"
	"slices"
)

// An axis places ratios in a chart. Bars begin at 1 on a logarithmic scale, where
// twice and half are equally long, and at 0 on a linear one.
type axis struct {
	log       bool
	low, high float64
	ticks     []float64
}

// wide is the range above which a linear scale would hide the small bars.
const wide = 8

// newAxis shows all values, and 1.
func newAxis(values []float64) axis {
	low, high := 1.0, 1.0
	for _, v := range values {
		if v > 0 && !math.IsInf(v, 0) {
			low, high = min(low, v), max(high, v)
		}
	}
	if high/low < wide {
		a := axis{high: high}
		step := niceAbove(high / 6)
		for i := 0; a.high < high || len(a.ticks) < 2; i++ {
			a.high = float64(i) * step
			a.ticks = append(a.ticks, a.high)
		}
		return a
	}
	a := axis{log: true, low: niceBelow(low), high: niceAbove(high)}
	for v := a.low; v <= a.high*1.001; v = niceAbove(v * 1.001) {
		a.ticks = append(a.ticks, v)
	}
	if len(a.ticks) > 12 {
		a.ticks = slices.DeleteFunc(a.ticks, func(v float64) bool {
			_, part := math.Modf(math.Log10(v))
			return math.Abs(math.Round(part)-part) > 1e-6
		})
	}
	return a
}

// niceAbove is the smallest of 1, 2, 5, 10 and so on, or 0.5, 0.2 and so on, that is
// not less than v.
func niceAbove(v float64) float64 {
	ten := math.Pow(10, math.Floor(math.Log10(v)))
	for _, k := range []float64{1, 2, 5} {
		if k*ten >= v*0.9999 {
			return k * ten
		}
	}
	return 10 * ten
}

func niceBelow(v float64) float64 { return 1 / niceAbove(1/v) }

// at gives the place of v, from 0 at the axis's start to 1 at its end.
func (a *axis) at(v float64) float64 {
	if a.log {
		return math.Log(v/a.low) / math.Log(a.high/a.low)
	}
	return v / a.high
}

// origin is where bars begin.
func (a *axis) origin() float64 {
	if a.log {
		return 1
	}
	return 0
}
