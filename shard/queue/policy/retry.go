package policy

import "math/bits"

// Counted says which of a job's counters tells how often it was delivered.
type Counted uint8

// The counters of stats-job that may count. A hang-up counts as a reserve only.
const (
	CountReserves Counted = iota
	CountTimeouts
	CountReleases
)

// Of chooses among a job's counters.
func (c Counted) Of(reserves, timeouts, releases uint32) uint32 {
	return [...]uint32{reserves, timeouts, releases}[c]
}

// Retry says how long a job that comes back is delayed, in nanoseconds. With Most it is First
// after the first delivery, twice as long after each further one, but at most Most, and up to
// a tenth more or less: otherwise jobs that failed together would be tried together again.
// Without, it is First. 0 is no delay.
type Retry struct{ First, Most int64 }

// After is the delay after so many deliveries. How much more or less it is depends on the id and
// on their number only, so it is the same whenever it is asked.
func (r Retry) After(id uint64, deliveries uint32) int64 {
	if r.Most == 0 {
		return r.First
	}
	d := r.First
	for n := uint32(1); n < deliveries && d < r.Most; n++ {
		d = min(2*d, r.Most)
	}
	return Spread(id, deliveries, d)
}

// Spread makes a delay up to a tenth longer or shorter.
func Spread(id uint64, deliveries uint32, d int64) int64 {
	mixed, low := bits.Mul64(id<<16+uint64(deliveries), 0x9E3779B97F4A7C15)
	part := int64((mixed ^ low) % 2001)
	return d + d/10*(part-1000)/1000
}
