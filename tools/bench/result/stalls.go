package result

import (
	"fmt"
	"math"
	"time"
)

// Stalls are what a neighbour saw of a disturbance, each time.
type Stalls struct {
	By   string  `json:"by"`
	Each []Stall `json:"each"`
	// BareUs is how long a client of a server that does nothing waited at most, on the
	// same processors, as long and right after; 0 where that was not looked at.
	BareUs float64 `json:"bare_us,omitempty"`
}

// A Stall is what it saw of one. Latencies are microseconds; the longest stall is the
// longest of them.
type Stall struct {
	Peace     Latency `json:"peace"`
	Disturbed Latency `json:"disturbed"`
	TookSec   float64 `json:"took_s"`
	// AwayUs is the longest time in which the generator itself did not look for an
	// answer: so much of a stall may be its own.
	AwayUs float64 `json:"generator_away_us"`
	// WorkUs is the most that the server worked, on all its threads, while one answer was
	// awaited and looked for. A stall that is much longer is that of a server which waited
	// for a disk, or for a processor that somebody else had.
	WorkUs float64 `json:"server_worked_us"`
}

// Aftermath is how long the neighbour is measured when the disturbance is over.
const Aftermath = 200 * time.Millisecond

func NewStall(peace, disturbed *Histogram, took time.Duration, away, work int64) *Stall {
	return &Stall{
		Peace: LatencyOf(peace), Disturbed: LatencyOf(disturbed),
		TookSec: took.Seconds(), AwayUs: float64(away) / 1e3, WorkUs: float64(work) / 1e3,
	}
}

func (s *Stall) String() string {
	return fmt.Sprintf("longest %.0f µs, p99.9 %.0f, in peace %.0f and %.0f; it took %.3f s; while it waited, the "+
		"server worked %.0f µs and the generator was away %.0f µs at most",
		s.Disturbed.Max, s.Disturbed.P999, s.Peace.Max, s.Peace.P999, s.TookSec, s.WorkUs, s.AwayUs)
}

// All is one number of each.
func (s *Stalls) All(of func(*Stall) float64) Spread {
	if s == nil {
		return Spread{math.NaN(), math.NaN(), math.NaN()}
	}
	var v []float64
	for i := range s.Each {
		v = append(v, of(&s.Each[i]))
	}
	return SpreadOf(v)
}

func LongestStall(s *Stall) float64 { return s.Disturbed.Max }

func LongestPeace(s *Stall) float64 { return s.Peace.Max }

func StallP999(s *Stall) float64 { return s.Disturbed.P999 }

func PeaceP999(s *Stall) float64 { return s.Peace.P999 }

func StallTook(s *Stall) float64 { return s.TookSec }

func StallWork(s *Stall) float64 { return s.WorkUs }

func StallAway(s *Stall) float64 { return s.AwayUs }

// Lasted is how long the disturbances were measured.
func (s *Stalls) Lasted() time.Duration {
	var sum time.Duration
	for i := range s.Each {
		sum += time.Duration(s.Each[i].TookSec*float64(time.Second)) + Aftermath
	}
	return sum
}

func (s *Stalls) String() string {
	return fmt.Sprintf("longest stall %s µs, p99.9 %s µs; in peace %s and %s µs; it took %s s; the server worked %s µs",
		s.All(LongestStall), s.All(StallP999), s.All(LongestPeace), s.All(PeaceP999), s.All(StallTook),
		s.All(StallWork))
}
