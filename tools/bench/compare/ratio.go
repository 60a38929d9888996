package compare

import (
	"math"
)

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
