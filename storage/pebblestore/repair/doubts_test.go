package repair

import (
	"math"
	"testing"
)

// A delete cannot be lost if it would be in the unbroken end of the log, and may be otherwise.
func TestDoubts(t *testing.T) {
	for _, c := range []struct {
		what   string
		d      doubts
		record uint64
		want   bool
	}{
		{"nothing is damaged", doubts{}, 0, false},
		{"put before a gap in the log", doubts{lossy: true, whole: 10}, 9, true},
		{"put behind it", doubts{lossy: true, whole: 10}, 10, false},
		{"the end of the log is gone", doubts{lossy: true, whole: math.MaxUint64}, 15, true},
		{"in a table, and the log has a gap", doubts{lossy: true, whole: 10}, 0, true},
		{"a hole in a table", doubts{holes: []idRange{{6, 7}}}, 0, true},
		{"a hole elsewhere", doubts{holes: []idRange{{8, 9}}}, 0, false},
		{"a hole in a table, and the log has all since the put", doubts{whole: 5, holes: []idRange{{6, 7}}}, 5, false},
	} {
		if got := c.d.about(7, c.record); got != c.want {
			t.Errorf("%s: %t", c.what, got)
		}
	}
}
