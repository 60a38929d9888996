package pebblestore

import "testing"

// A delete cannot be lost if it would be in the unbroken end of the logs, and may be otherwise.
func TestDoubts(t *testing.T) {
	for _, c := range []struct {
		what string
		d    doubts
		seq  uint64
		want bool
	}{
		{"nothing is damaged", doubts{start: 10, next: 20}, 5, false},
		{"before what the logs have", doubts{start: 10, next: 20, lossy: true}, 9, true},
		{"in what the logs have", doubts{start: 10, next: 20, lossy: true}, 10, false},
		{"the end of the logs is gone", doubts{start: 10, next: 20, lossy: true, cut: true}, 15, true},
		{"there is nothing in the logs", doubts{lossy: true}, 15, true},
		{"a hole in a table", doubts{start: 10, next: 20, holes: []idRange{{6, 7}}}, 5, true},
		{"a hole elsewhere", doubts{start: 10, next: 20, holes: []idRange{{8, 9}}}, 5, false},
	} {
		if got := c.d.about(7, c.seq); got != c.want {
			t.Errorf("%s: %t", c.what, got)
		}
	}
}
