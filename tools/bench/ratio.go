package main

import (
	"fmt"
	"math"
	"slices"
)

// A spread is what several rounds gave: the middle and the edges.
type spread struct {
	Median float64 `json:"median"`
	Min    float64 `json:"min"`
	Max    float64 `json:"max"`
}

// spreadOf leaves out what is not a number: a ratio to something that was not
// measured.
func spreadOf(values []float64) spread {
	var v []float64
	for _, x := range values {
		if !math.IsNaN(x) && !math.IsInf(x, 0) {
			v = append(v, x)
		}
	}
	if len(v) == 0 {
		return spread{math.NaN(), math.NaN(), math.NaN()}
	}
	slices.Sort(v)
	middle := len(v) / 2
	median := v[middle]
	if len(v)%2 == 0 {
		median = (v[middle-1] + v[middle]) / 2
	}
	return spread{median, v[0], v[len(v)-1]}
}

// ratios divides round by round: the two of a round were measured next to each
// other, so what disturbs the machine for minutes cancels out.
func ratios(a, b []float64) []float64 {
	var q []float64
	for i := range min(len(a), len(b)) {
		if b[i] == 0 {
			q = append(q, math.NaN())
			continue
		}
		q = append(q, a[i]/b[i])
	}
	return q
}

func (s spread) known() bool { return !math.IsNaN(s.Median) }

// String shows a ratio: 2.03 (1.95–2.11).
func (s spread) String() string {
	if !s.known() {
		return "–"
	}
	if s.Min == s.Max {
		return short(s.Median)
	}
	return fmt.Sprintf("%s (%s–%s)", short(s.Median), short(s.Min), short(s.Max))
}

// MarshalJSON leaves an unknown spread out: JSON has no NaN.
func (s spread) MarshalJSON() ([]byte, error) {
	if !s.known() {
		return []byte("null"), nil
	}
	return fmt.Appendf(nil, `{"median":%g,"min":%g,"max":%g}`, s.Median, s.Min, s.Max), nil
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
	sign := ""
	if s[0] == '-' {
		sign, s = "-", s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return sign + s
}
