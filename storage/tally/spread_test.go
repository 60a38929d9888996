package tally

import (
	"math"
	"testing"
)

// bound is the upper bound of a bucket as its definition has it.
func bound(i int) float64 { return FirstBound * math.Pow(2, float64(i)/quarters) }

// Each value is in the bucket whose bounds enclose it: at the bounds, beside them, and at
// many places between.
func TestBuckets(t *testing.T) {
	check := func(v uint64) {
		t.Helper()
		i := bucket(v)
		if i > 0 && float64(v) <= bound(i-1) || i < Buckets-1 && float64(v) > bound(i) {
			t.Errorf("%d is in bucket %d, which has those from %g to %g", v, i, bound(i-1), bound(i))
		}
	}
	for i := range Buckets - 1 {
		b := uint64(bound(i))
		for _, v := range []uint64{b - 1, b, b + 1, b + b/9} {
			check(v)
		}
	}
	for _, v := range []uint64{0, 1, FirstBound, 1 << 40, math.MaxUint64} {
		check(v)
	}
	if bucket(FirstBound) != 0 || bucket(FirstBound+1) != 1 || bucket(1<<34) != Buckets-1 ||
		bucket(1<<34-1) != Buckets-1 {
		t.Error("the first or the last bucket does not begin where it should")
	}
}

func TestSteps(t *testing.T) {
	for ns, want := range map[int64]float64{-1: 0, 0: 0, 1000: 1e-6, 1e9: 1, 3600 * 1e9: 3600, math.MaxInt64: 3600} {
		if got := float64(Time(ns)) / (1 << TimeSteps); math.Abs(got-want) > 1e-6*want+1e-9 {
			t.Errorf("%d ns are %g s", ns, got)
		}
	}
	if Number(3) != 3<<NumberSteps || bucket(Number(1)) != 0 || bucket(Number(2)) != 4 {
		t.Error("numbers are counted wrongly")
	}
}

func TestReading(t *testing.T) {
	var a, b Spread
	a.Add(Number(1), 2)
	a.Add(Number(4), 1)
	b.Add(Number(4), 3)
	var r Reading
	a.ReadTo(&r)
	b.ReadTo(&r)
	if r.Counts[0] != 2 || r.Counts[8] != 4 || r.Total() != 6 || r.Sum != Number(18) {
		t.Errorf("read %v", r)
	}
}

func BenchmarkAdd(b *testing.B) {
	var s Spread
	for i := 0; b.Loop(); i++ {
		s.Add(Time(int64(i&0xfffff)), 1)
	}
}
