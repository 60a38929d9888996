package result

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// exactQuantile is the definition that the histogram approximates: the smallest value
// that at least the fraction q of all values does not exceed.
func exactQuantile(sorted []int64, q float64) int64 {
	rank := int(math.Ceil(q * float64(len(sorted))))
	return sorted[max(rank, 1)-1]
}

func TestHistogramQuantiles(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	shapes := map[string]func() int64{
		"small":     func() int64 { return r.Int64N(200) },
		"uniform":   func() int64 { return r.Int64N(5e9) },
		"lognormal": func() int64 { return int64(math.Exp(r.NormFloat64()*2 + 11)) },
		"two peaks": func() int64 { return 20e3 + r.Int64N(1000) + 300e6*(r.Int64N(50)/49) },
		"constant":  func() int64 { return 123456789 },
		"huge":      func() int64 { return math.MaxInt64 - r.Int64N(1000) },
	}
	for name, draw := range shapes {
		t.Run(name, func(t *testing.T) {
			h := new(Histogram)
			var values []int64
			for range 20000 {
				v := draw()
				values = append(values, v)
				h.Record(v, 1)
			}
			slices.Sort(values)
			for _, q := range []float64{0, 0.001, 0.5, 0.9, 0.99, 0.999, 0.9999, 1} {
				want, got := exactQuantile(values, q), h.quantile(q)
				if got < want || float64(got-want) > float64(want)/128 {
					t.Errorf("quantile %g is %d, exactly %d: off by more than 1/128", q, got, want)
				}
			}
			if h.Max != values[len(values)-1] || h.Min != values[0] {
				t.Errorf("from %d to %d, want %d to %d", h.Min, h.Max, values[0], values[len(values)-1])
			}
		})
	}
}

func TestHistogramBucketsAreContiguous(t *testing.T) {
	for i := range histogramBuckets {
		top := bucketTop(i)
		if got := bucketOf(top); got != i {
			t.Fatalf("the top of bucket %d, %d, falls into bucket %d", i, top, got)
		}
		if top == math.MaxInt64 {
			if i != histogramBuckets-1 {
				t.Fatalf("the largest value falls into bucket %d of %d", i, histogramBuckets)
			}
			return
		}
		if got := bucketOf(top + 1); got != i+1 {
			t.Fatalf("%d follows bucket %d but falls into bucket %d", top+1, i, got)
		}
	}
	t.Fatal("the largest value has no bucket")
}

func TestHistogramMerge(t *testing.T) {
	a, b, both := new(Histogram), new(Histogram), new(Histogram)
	for v := range int64(5000) {
		h := a
		if v%3 == 0 {
			h = b
		}
		h.Record(v*v, 2)
		both.Record(v*v, 2)
	}
	a.Merge(b)
	a.Merge(new(Histogram))
	if *a != *both {
		t.Error("two halves merged differ from the whole")
	}
}
