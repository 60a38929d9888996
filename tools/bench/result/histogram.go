package result

import (
	"math/bits"
)

// A Histogram counts durations in buckets whose width grows with the value: each
// power of two is cut into 128 equal parts, so a quantile is never off by more than
// 1/128 of itself, whatever the range. Values below 256 ns are exact.
type Histogram struct {
	counts   [histogramBuckets]uint64
	N        uint64
	sum      int64
	Min, Max int64
}

const (
	histogramSubBits = 7
	// The largest int64 has 63 bits: its shift is 63-8 = 55, its last bucket
	// 55*128+255.
	histogramBuckets = (63-histogramSubBits-1)<<histogramSubBits + 2<<histogramSubBits
)

// bucketOf is contiguous: at the smallest shifted value, 256, it gives 256.
func bucketOf(v int64) int {
	if v < 2<<histogramSubBits {
		return int(v)
	}
	shift := bits.Len64(uint64(v)) - histogramSubBits - 1
	return shift<<histogramSubBits + int(uint64(v)>>shift)
}

// bucketTop is the largest value that falls into bucket i.
func bucketTop(i int) int64 {
	if i < 2<<histogramSubBits {
		return int64(i)
	}
	shift := i>>histogramSubBits - 1
	low := uint64(i - shift<<histogramSubBits)
	return int64((low+1)<<shift - 1)
}

// Record counts v n times. A clock that was read in the wrong order must not crash
// a run, so negative durations count as zero.
func (h *Histogram) Record(v int64, n uint64) {
	if n == 0 {
		return
	}
	v = max(v, 0)
	h.counts[bucketOf(v)] += n
	if h.N == 0 || v < h.Min {
		h.Min = v
	}
	h.Max = max(h.Max, v)
	h.sum += v * int64(n)
	h.N += n
}

func (h *Histogram) Merge(o *Histogram) {
	if o.N == 0 {
		return
	}
	for i, c := range o.counts {
		h.counts[i] += c
	}
	if h.N == 0 || o.Min < h.Min {
		h.Min = o.Min
	}
	h.Max = max(h.Max, o.Max)
	h.sum += o.sum
	h.N += o.N
}

// quantile gives the smallest bucket top below which at least the fraction q of the
// values lies; it is never more than the largest value seen.
func (h *Histogram) quantile(q float64) int64 {
	if h.N == 0 {
		return 0
	}
	exact := q * float64(h.N)
	rank := uint64(exact)
	if float64(rank) < exact || rank == 0 {
		rank++
	}
	rank = min(rank, h.N)
	var seen uint64
	for i, c := range h.counts {
		seen += c
		if seen >= rank {
			return min(bucketTop(i), h.Max)
		}
	}
	return h.Max
}

func (h *Histogram) mean() float64 {
	if h.N == 0 {
		return 0
	}
	return float64(h.sum) / float64(h.N)
}

// A Latency holds microseconds.
type Latency struct {
	N    uint64  `json:"n"`
	Mean float64 `json:"mean_us"`
	P50  float64 `json:"p50_us"`
	P90  float64 `json:"p90_us"`
	P99  float64 `json:"p99_us"`
	P999 float64 `json:"p999_us"`
	Max  float64 `json:"max_us"`
}

func LatencyOf(h *Histogram) Latency {
	us := func(ns int64) float64 { return float64(ns) / 1e3 }
	return Latency{
		N: h.N, Mean: h.mean() / 1e3, P50: us(h.quantile(0.5)), P90: us(h.quantile(0.9)),
		P99: us(h.quantile(0.99)), P999: us(h.quantile(0.999)), Max: us(h.Max),
	}
}
