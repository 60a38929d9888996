//go:build linux

package load

import (
	"time"
)

// A Result is what one measurement found.
type Result struct {
	Load      Load
	Seconds   float64
	Ops       uint64
	OpsPerSec float64
	Latency   Latency // of commands, or of deliveries where jobs come one at a time
	Server    ServerUse
	Recovery  *Recovery // of a restart
	Stall     *Stall    // of a neighbour
	// GeneratorCPU and OthersCPU are in processors: 1 is one of them all the time. A generator that spins has its
	// looks in vain left out.
	GeneratorCPU, OthersCPU float64
	// Waiting is how many connections had an answer waiting, on average, whenever the generator looked: near 1 it
	// keeps up with the server, near all it does not.
	Waiting float64
}

// ServerUse is zero where the server's process is not known.
type ServerUse struct {
	CPUPerOp     float64 // microseconds
	RSS, PeakRSS int64
	BytesEach    float64 // memory of each job or connection
	WrittenPerOp float64
	OnDisk       int64 // bytes of its files at the end
}

// GeneratorBound tells that the generator was always busy while answers waited for it: more would have been possible.
// Processor time alone does not tell, since a generator that keeps up is busy as well, with more and shorter looks.
func (r *Result) GeneratorBound() bool {
	conns := float64(r.Load.Connections)
	return r.Load.Rate == 0 && conns >= 8 && r.GeneratorCPU > 0.95 && r.Waiting > conns/4
}

// A Recovery is what a server that keeps its jobs on disk did from its first start to its second.
type Recovery struct {
	Jobs     int
	StartSec float64 // until the first reply, without any data
	// The rest is nothing where there were no jobs.
	LoadSec               float64
	LoadedRSS, LoadedPeak int64 // at the end of loading
	StopSec               float64
	// RecoverySec goes from the second start to a reply that counts every job.
	RecoverySec                 float64
	RecoveredRSS, RecoveredPeak int64
	// Peak is the most memory that the restart took, against what the server needs for its jobs: before the restart or
	// after it, whichever is less.
	Peak float64
}

// A Stall is what a neighbour saw of a disturbance. The longest stall is the longest latency.
type Stall struct {
	Peace, Disturbed Latency
	TookSec          float64
	// AwayUs is the longest time in which the generator itself did not look for an answer: so much of a stall may be
	// its own.
	AwayUs float64
	// WorkUs is the most that the server worked, on all its threads, while one answer was awaited and looked for. A
	// stall that is much longer is that of a server which waited for a disk, or for a processor that somebody else
	// had.
	WorkUs float64
	// BareUs is how long a client of a server that does nothing waited at most, on the same processors, as long and
	// right after; 0 where that was not looked at.
	BareUs float64
}

// Aftermath is how long the neighbour is measured when the disturbance is over.
const Aftermath = 200 * time.Millisecond

// NewStall is that of two phases of a neighbour.
func NewStall(peace, disturbed *Histogram) *Stall {
	return &Stall{Peace: peace.Latency(), Disturbed: disturbed.Latency()}
}
