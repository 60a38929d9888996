package tally

import (
	"math/bits"
	"sync/atomic"
)

// Spread counts how large values were. There are four buckets for each doubling, with the
// bounds of Prometheus' native histograms of schema 2. So it can be shown as such a
// histogram, or as a classic one, whose bounds are powers of two.
//
// A value is a whole number of steps. Values of up to FirstBound steps are in bucket 0.
// Bucket i > 0 has those above Bound(i-1), and up to Bound(i); the last one has all that
// are larger, too.
type Spread struct {
	counts [Buckets]atomic.Uint64
	sum    atomic.Uint64 // of all values, in steps
}

const (
	firstOctave = 10
	octaves     = 24
	quarters    = 4

	// Buckets is how many there are.
	Buckets = 1 + octaves*quarters
	// FirstBound is the bound of bucket 0, in steps.
	FirstBound = 1 << firstOctave
)

// A time is counted in steps of 2^-30 seconds, so bucket 0 ends at 2^-20 seconds, about
// a microsecond, and the last bound is 16 s. A number is counted in steps of 2^-10, so
// bucket 0 ends at 1 and the last bound is 2^24.
const (
	TimeSteps   = 30
	NumberSteps = 10
)

// Time is a time in steps. One of more than an hour counts as an hour.
func Time(nanoseconds int64) uint64 {
	const most, perNanosecond = 3600 * 1_000_000_000, 1 << (TimeSteps + 20) / 1_000_000_000 // the latter times 2^20
	return uint64(min(max(nanoseconds, 0), most)) * perNanosecond >> 20
}

// Number is a number in steps.
func Number(n int) uint64 { return uint64(n) << NumberSteps }

// The fractions of an octave at which its second, third and last quarter begin, as a
// 64-bit mantissa: 2^63 times 2^(1/4), 2^(2/4), 2^(3/4).
const (
	quarter1 = 10968499650544839024
	quarter2 = 13043817825332782213
	quarter3 = 15511800964685064949
)

// bucket is where a value belongs.
func bucket(v uint64) int {
	if v <= FirstBound {
		return 0
	}
	e := bits.Len64(v) - 1
	i := 1 + (e-firstOctave)*quarters
	switch m := v << (63 - e); {
	case m == 1<<63:
		i-- // a bound belongs to the bucket below it; the bounds within an octave are no whole numbers
	case m >= quarter3:
		i += 3
	case m >= quarter2:
		i += 2
	case m >= quarter1:
		i++
	}
	return min(i, Buckets-1)
}

// Add counts a value n times. One goroutine at a time calls it, so no locked addition is
// needed.
func (s *Spread) Add(v uint64, n int) {
	c := &s.counts[bucket(v)]
	c.Store(c.Load() + uint64(n))
	s.sum.Store(s.sum.Load() + v*uint64(n))
}

// Reading is what Spreads have counted.
type Reading struct {
	Counts [Buckets]uint64
	Sum    uint64 // in steps
}

// Total is how many values there were.
func (r *Reading) Total() (n uint64) {
	for _, c := range r.Counts {
		n += c
	}
	return n
}

// Add adds what another reading has.
func (r *Reading) Add(o *Reading) {
	for i, n := range o.Counts {
		r.Counts[i] += n
	}
	r.Sum += o.Sum
}

// ReadTo adds to a reading what has been counted so far.
func (s *Spread) ReadTo(r *Reading) {
	for i := range s.counts {
		r.Counts[i] += s.counts[i].Load()
	}
	r.Sum += s.sum.Load()
}
