package result

import (
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
		s := SpreadOf(test.values)
		if s.Median != test.median || s.Min != test.min || s.Max != test.max {
			t.Errorf("%v gives %+v", test.values, s)
		}
	}
	if SpreadOf(nil).Known() {
		t.Error("a spread of nothing is known")
	}
}

func TestSpreadLeavesItsInputAlone(t *testing.T) {
	v := []float64{3, 1, 2}
	SpreadOf(v)
	if v[0] != 3 || v[1] != 1 || v[2] != 2 {
		t.Errorf("the values were moved: %v", v)
	}
}

func TestNumbersAreShown(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", 0.0567: "0.057", 1.2345: "1.23", 14.26: "14.3", 999.4: "999", 1000: "1,000", 1234567.8: "1,234,568",
		-4321: "-4,321",
	} {
		if v == 0 {
			want = "0.00"
		}
		if got := Short(v); got != want {
			t.Errorf("%v is shown as %s, want %s", v, got, want)
		}
	}
	if got := SpreadOf([]float64{2, 2.5, 1}).String(); got != "2.00 (1.00–2.50)" {
		t.Error(got)
	}
}
