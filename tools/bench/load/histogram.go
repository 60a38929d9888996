//go:build linux

package load

import (
	"math"
	"math/bits"
)

// A Histogram counts durations in buckets whose width grows with the value: each
// power of two is cut into 128 equal parts, so a quantile is never off by more than
// 1/128 of itself, whatever the range. Values below 256 ns are exact.
type Histogram struct {
	counts [histogramBuckets]uint64
	n      uint64
	max    int64
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
	v = max(v, 0)
	h.counts[bucketOf(v)] += n
	if n > 0 {
		h.max = max(h.max, v)
	}
	h.n += n
}

// Add adds what another one has counted.
func (h *Histogram) Add(o *Histogram) {
	for i, n := range o.counts {
		h.counts[i] += n
	}
	h.n, h.max = h.n+o.n, max(h.max, o.max)
}

// quantile gives the smallest bucket top below which at least the fraction q of the
// values lies; it is never more than the largest value seen.
func (h *Histogram) quantile(q float64) int64 {
	rank := max(1, uint64(math.Ceil(q*float64(h.n))))
	var seen uint64
	for i, c := range h.counts {
		seen += c
		if seen >= rank {
			return min(bucketTop(i), h.max)
		}
	}
	return h.max
}

// A Latency holds microseconds.
type Latency struct {
	N                   uint64
	P50, P99, P999, Max float64
}

// Latency is what a report shows of it.
func (h *Histogram) Latency() Latency {
	us := func(q float64) float64 { return float64(h.quantile(q)) / 1e3 }
	return Latency{N: h.n, P50: us(0.5), P99: us(0.99), P999: us(0.999), Max: float64(h.max) / 1e3}
}
