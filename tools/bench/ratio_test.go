package main

import (
	"encoding/json"
	"math"
	"testing"
)

func TestSpread(t *testing.T) {
	for _, test := range []struct {
		values           []float64
		median, min, max float64
	}{
		{[]float64{3}, 3, 3, 3},
		{[]float64{9, 1, 4}, 4, 1, 9},
		{[]float64{8, 1, 4, 2}, 3, 1, 8},
		{[]float64{math.NaN(), 2, math.Inf(1)}, 2, 2, 2},
	} {
		s := spreadOf(test.values)
		if s.Median != test.median || s.Min != test.min || s.Max != test.max {
			t.Errorf("%v gives %+v", test.values, s)
		}
	}
	if spreadOf(nil).known() {
		t.Error("a spread of nothing is known")
	}
}

func TestSpreadLeavesItsInputAlone(t *testing.T) {
	v := []float64{3, 1, 2}
	spreadOf(v)
	if v[0] != 3 || v[1] != 1 || v[2] != 2 {
		t.Errorf("the values were moved: %v", v)
	}
}

func TestRatiosAreOfTheSameRound(t *testing.T) {
	// The machine was twice as slow in the second round; the ratio is 2 in both.
	if s := spreadOf(ratios([]float64{200, 100}, []float64{100, 50})); s.Min != 2 || s.Max != 2 {
		t.Errorf("%+v", s)
	}
	if s := spreadOf(ratios([]float64{1, 6}, []float64{0, 3})); s.Median != 2 || s.Min != 2 {
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

func TestNumbersAreShown(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", 0.0567: "0.057", 1.2345: "1.23", 14.26: "14.3", 999.4: "999", 1000: "1,000", 1234567.8: "1,234,568", -4321: "-4,321",
	} {
		if v == 0 {
			want = "0.00"
		}
		if got := short(v); got != want {
			t.Errorf("%v is shown as %s, want %s", v, got, want)
		}
	}
	if got := spreadOf([]float64{2, 2.5, 1}).String(); got != "2.00 (1.00–2.50)" {
		t.Error(got)
	}
	if text, err := json.Marshal(spreadOf(nil)); err != nil || string(text) != "null" {
		t.Errorf("%s %v", text, err)
	}
}
