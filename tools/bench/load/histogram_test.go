//go:build linux

package load

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// The buckets follow each other without a gap, and none is wider than a hundred-and-twenty-eighth of what it holds.
func TestBuckets(t *testing.T) {
	for i := range histogramBuckets - 1 {
		top := bucketTop(i)
		if bucketOf(top) != i || bucketOf(top+1) != i+1 {
			t.Fatalf("bucket %d ends at %d, which is in %d; the next value in %d", i, top, bucketOf(top), bucketOf(top+1))
		}
		if width := bucketTop(i+1) - top; float64(width) > math.Max(1, float64(top)/128+1) {
			t.Fatalf("bucket %d is %d wide, and ends at %d", i+1, width, top+width)
		}
	}
	if last := bucketOf(math.MaxInt64); last != histogramBuckets-1 || bucketTop(last) != math.MaxInt64 {
		t.Errorf("the largest value is in bucket %d", last)
	}
}

// Quantiles are those of the values, as far as buckets tell; the largest value is exact.
func TestQuantiles(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var h Histogram
	var values []int64
	for range 10_000 {
		v := int64(math.Exp(r.Float64() * 20))
		values = append(values, v, v)
		h.Record(v, 2)
	}
	slices.Sort(values)
	for _, q := range []float64{0.001, 0.5, 0.9, 0.99, 0.999, 1} {
		want := values[int(math.Ceil(q*float64(len(values))))-1]
		if got := h.quantile(q); got < want || float64(got) > float64(want)*(1+1.0/128)+1 {
			t.Errorf("quantile %v is %d, want %d", q, got, want)
		}
	}
	h.Record(-5, 1)
	if top := values[len(values)-1]; h.quantile(1) != top || h.quantile(0) != 0 || h.Latency().N != 20_001 {
		t.Errorf("from %d to %d, want 0 to %d", h.quantile(0), h.quantile(1), top)
	}
	if l := new(Histogram).Latency(); l != (Latency{}) {
		t.Errorf("of nothing: %+v", l)
	}
}
