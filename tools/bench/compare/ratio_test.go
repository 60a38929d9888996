package compare

import (
	"testing"

	"beanfield/tools/bench/result"
)

func TestRatiosAreOfTheSameRound(t *testing.T) {
	// The machine was twice as slow in the second round; the ratio is 2 in both.
	if s := result.SpreadOf(ratios([]float64{200, 100}, []float64{100, 50})); s.Min != 2 || s.Max != 2 {
		t.Errorf("%+v", s)
	}
	if s := result.SpreadOf(ratios([]float64{1, 6}, []float64{0, 3})); s.Median != 2 || s.Min != 2 {
		t.Errorf("a round without a reference counts: %+v", s)
	}
	if got := len(ratios([]float64{1, 2, 3}, []float64{1})); got != 1 {
		t.Errorf("%d ratios of one pair", got)
	}
}

func TestGoals(t *testing.T) {
	if g := atLeast(metricThroughput, 2); g.met(1.99) || !g.met(2) || !g.met(3) {
		t.Error("at least 2")
	}
	if g := atMost(metricCPU, 0.6); g.met(0.61) || !g.met(0.6) || !g.met(0.1) {
		t.Error("at most 0.6")
	}
}
