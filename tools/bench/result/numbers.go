package result

import (
	"fmt"
	"math"
)

// Short shows a number with three digits that matter.
func Short(v float64) string {
	switch a := math.Abs(v); {
	case math.IsNaN(v):
		return "–"
	case a >= 100:
		return Grouped(v)
	case a >= 10:
		return fmt.Sprintf("%.1f", v)
	case a >= 1 || a == 0:
		return fmt.Sprintf("%.2f", v)
	default:
		return fmt.Sprintf("%.3f", v)
	}
}

// Grouped shows a whole number with commas between thousands.
func Grouped(v float64) string {
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

func MB(bytes int64) float64 { return float64(bytes) / 1e6 }
