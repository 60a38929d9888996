//go:build linux

package load

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"time"
)

// A Load is everything that decides what is sent to a server. Two servers that are given equal loads get the same
// requests.
type Load struct {
	Kind        string // of the constants below
	Connections int
	Producers   int // of the connections
	Depth       int // commands in one write; of cycles, put, reserve and delete so often
	Tubes       int // connection i uses tube i modulo this
	TLS         bool
	WatchAll    bool // every worker watches every tube, and not only its own
	Keyed       bool // puts have a unique key each, also those of the backlog
	Body        Sizes
	Backlog     int    // jobs that are put before, and stay
	BacklogIn   string // where they lie: InSame, InSpread, or in a tube that nobody watches
	MaxJobs     int    // puts end after so many
	Whole       bool   // it is measured from its first job to its last, and not for Duration
	Kill        bool   // a restart is one after SIGKILL
	Window      int    // of a consumer; 0: auto-commit
	Commit      int    // items in a request that commits
	Disturb     string // what happens beside a neighbour
	Large       int    // bytes of the large job that disturbs it

	// How long, which is not the load's own.
	Warmup, Duration time.Duration
	Peace            time.Duration // the neighbour is measured before
	Seed             uint64
	Rate             float64 // operations a second, on a timetable; 0: at full speed
}

// The kinds of load. An operation is one command and its reply, or, where jobs are pushed or come one at a time, a
// job.
const (
	Put       = "put"       // put only
	Cycle     = "cycle"     // each connection puts, reserves, deletes
	Cycles    = "cycles"    // the same, but a write carries whole cycles
	Hop       = "hop"       // use a tube drawn at random, put, reserve-job, delete
	Apart     = "apart"     // producers and workers apart
	Wake      = "wake"      // as apart, with hardly ever a job waiting: workers block
	WakeOne   = "wake-one"  // one put at a time, to a blocked reserve
	Push      = "push"      // producers put, consumers of the queue service are pushed
	PushOne   = "push-one"  // one put at a time, pushed to a consumer that waits
	Reserve   = "reserve"   // each connection reserves once, and keeps the job
	Memory    = "memory"    // nothing: memory per ready job of the backlog
	Idle      = "idle"      // nothing: memory per idle connection
	Consumers = "consumers" // nothing: memory per idle consumer
	Gets      = "gets"      // nothing: memory per get that waits
	Restart   = "restart"   // nothing: the server is ended and started again with the backlog
	Neighbour = "neighbour" // one connection in peace, and what it sees of a disturbance
)

// Where a backlog lies.
const (
	InSame   = "same"   // in the tubes under load, behind every job of the load
	InSpread = "spread" // one job each in as many other tubes
)

// Of is a load in which what was left out is as most have it: 50 connections, cycles, 100 bytes, one tube.
func Of(ld Load) Load {
	ld.Kind, ld.Seed = cmp.Or(ld.Kind, Cycle), cmp.Or(ld.Seed, 1)
	ld.Connections, ld.Depth, ld.Tubes = cmp.Or(ld.Connections, 50), cmp.Or(ld.Depth, 1), cmp.Or(ld.Tubes, 1)
	ld.Body, ld.MaxJobs = cmp.Or(ld.Body, Sizes{100, 100}), cmp.Or(ld.MaxJobs, 5_000_000)
	return ld
}

// is tells whether the load is one of some kinds.
func (ld *Load) is(kinds ...string) bool { return slices.Contains(kinds, ld.Kind) }

// Waits tells whether its connections do nothing, or nothing at all runs.
func (ld *Load) Waits() bool { return ld.is(Memory, Idle, Consumers, Gets) }

func (ld *Load) apart() bool { return ld.is(Apart, Wake, WakeOne) }

// pushes tells whether consumers of the queue service take the jobs.
func (ld *Load) pushes() bool { return ld.is(Push, PushOne) }

// one tells whether there is one job at a time.
func (ld *Load) one() bool { return ld.is(PushOne, WakeOne) }

// byJob tells whether an operation is a job that was put and delivered, and not a command.
func (ld *Load) byJob() bool { return ld.pushes() || ld.one() }

// stamped loads carry the time of their put in the body, to measure the delivery.
func (ld *Load) stamped() bool { return ld.apart() || ld.one() }

// batch is how many commands go out in one write.
func (ld *Load) batch() int {
	if ld.Kind == Cycles {
		return ld.Depth * len(cycle)
	}
	return ld.Depth
}

// JobOperations is how many operations a job takes.
func (ld *Load) JobOperations() int {
	switch ld.Kind {
	case Cycle, Cycles:
		return len(cycle)
	case Hop:
		return len(hop)
	}
	return 1
}

// inFlight bounds the jobs between their put and their reservation, so that fast producers do not fill the server:
// closed loops stay in balance, and a wake load nearly always finds a waiting worker.
func (ld *Load) inFlight() int64 {
	takers := ld.Connections - ld.Producers
	switch ld.Kind {
	case WakeOne, PushOne:
		return 1
	case Wake:
		return int64(max(1, takers/2))
	case Push: // what consumers may have, and what is on its way to the server
		return int64(takers*max(ld.Window, 100) + ld.Producers*ld.Depth)
	}
	return 10_000
}

// Sizes are the least and the most bytes of a body. They are drawn so that each doubling is equally likely: many small
// jobs, a few large ones.
type Sizes [2]int

func (s Sizes) draw(r *rand.Rand) int {
	low, high := math.Log(float64(max(s[0], 1))), math.Log(float64(s[1]+1))
	n := int(math.Exp(low + r.Float64()*(high-low)))
	return min(max(n, s[0]), s[1])
}
