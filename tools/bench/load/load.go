package load

import (
	"errors"
	"flag"
	"fmt"
	"slices"
	"time"

	"beanfield/tools/bench/machine"
)

// A Load is everything that decides what is sent to a server. Two servers that are
// given equal loads get the same requests.
type Load struct {
	Kind        string        `json:"kind"`
	Connections int           `json:"connections"`
	Producers   int           `json:"producers,omitempty"` // of the connections; apart, wake
	Depth       int           `json:"depth"`
	Tubes       int           `json:"tubes"`
	TLS         bool          `json:"tls,omitempty"`
	WatchAll    bool          `json:"watch_all,omitempty"`
	Keyed       bool          `json:"keyed,omitempty"` // put: each with a unique key, also those of the backlog
	Body        BodySize      `json:"body"`
	Backlog     int           `json:"backlog,omitempty"`
	BacklogIn   string        `json:"backlog_in,omitempty"` // own, same, spread
	Rate        float64       `json:"rate,omitempty"`       // operations a second; 0: closed loop
	MaxJobs     int           `json:"max_jobs,omitempty"`   // put ends after so many
	Whole       bool          `json:"whole,omitempty"`      // it ends after MaxJobs alone, however long that takes
	Kill        bool          `json:"kill,omitempty"`       // restart: the server gets SIGKILL
	Window      int           `json:"window,omitempty"`     // push: of a consumer; 0: auto-commit
	Commit      int           `json:"commit,omitempty"`     // push: items in a request that commits
	Warmup      time.Duration `json:"warmup_ns"`
	Duration    time.Duration `json:"duration_ns"`
	Seed        uint64        `json:"seed"`
	Disturb     Disturb       `json:"disturb,omitzero"` // neighbour
}

// The kinds of load. An operation is always one command and its reply.
const (
	KindPut     = "put"     // put only
	KindCycle   = "cycle"   // each connection puts, reserves, deletes
	KindCycles  = "cycles"  // the same, but a write carries whole cycles
	KindReserve = "reserve" // each connection reserves once, and keeps the job; for disturbances alone
	KindHop     = "hop"     // use a tube drawn at random, put, reserve-job, delete
	KindApart   = "apart"   // producers and workers apart
	KindWake    = "wake"    // as apart, with hardly ever a job waiting: workers block
	KindMemory  = "memory"  // no load: memory per ready job of the backlog
	KindIdle    = "idle"    // no load: memory per idle connection
	KindRestart = "restart" // no load: the server is ended and started again with the backlog

	KindNeighbour = "neighbour" // one connection in peace, and what it sees of a disturbance

	// Of the queue service.
	KindPush      = "push"      // producers put, consumers are pushed; an operation is an item
	KindPushOne   = "push-one"  // one put at a time, pushed to a consumer that waits
	KindWakeOne   = "wake-one"  // the same, to a blocked reserve
	KindConsumers = "consumers" // no load: memory per idle consumer
	KindGets      = "gets"      // no load: memory per waiting get
)

var kinds = []string{
	KindPut, KindCycle, KindCycles, KindHop, KindApart, KindWake, KindMemory, KindIdle, KindRestart, KindNeighbour,
	KindPush, KindPushOne, KindWakeOne, KindConsumers, KindGets,
}

// Where the backlog lies.
const (
	backlogOwn    = "own"    // in a tube that nobody watches
	BacklogSame   = "same"   // in the tubes under load, behind every job of the load
	BacklogSpread = "spread" // one job each in as many other tubes
)

// wholePatience bounds a run whose end is a number of jobs.
const wholePatience = time.Hour

func Default() Load {
	return Load{
		Kind: KindCycle, Connections: 50, Depth: 1, Tubes: 1, Body: BodySize{100, 100},
		BacklogIn: backlogOwn, MaxJobs: 5_000_000,
		Warmup: 300 * time.Millisecond, Duration: 3 * time.Second, Seed: 1,
		Disturb: defaultDisturb(),
	}
}

func (ld *Load) Flags(f *flag.FlagSet) {
	f.StringVar(&ld.Kind, "load", ld.Kind, "`kind` of load: "+fmt.Sprint(kinds))
	f.IntVar(&ld.Connections, "c", ld.Connections, "connections, producers included")
	f.IntVar(&ld.Producers, "producers", ld.Producers, "connections that only put (apart, wake); 0: half")
	f.IntVar(&ld.Depth, "depth", ld.Depth, "commands sent in one write, before their replies are awaited; cycles: "+
		"put, reserve and delete so often")
	f.IntVar(&ld.Tubes, "tubes", ld.Tubes, "tubes under load; connection i uses tube i modulo this")
	f.BoolVar(&ld.TLS, "tls", ld.TLS, "over TLS, at the address that -tls-addr names or whose port is {tls}")
	f.BoolVar(&ld.WatchAll, "watch-all", ld.WatchAll, "every worker watches every tube, not only its own")
	f.BoolVar(&ld.Keyed, "keyed", ld.Keyed, "put: with a unique key each, also the backlog (put-with)")
	f.Var(&ld.Body, "body", "`bytes` of a body, or MIN-MAX")
	f.IntVar(&ld.Backlog, "backlog", ld.Backlog, "jobs put before measuring and left there")
	f.StringVar(&ld.BacklogIn, "backlog-in", ld.BacklogIn,
		"where the backlog lies: own (a tube of its own), same (the tubes under load, lower priority), spread (one tube each)")
	f.Float64Var(&ld.Rate, "rate", ld.Rate, "open loop: operations a `second` on a fixed timetable; 0: closed loop, "+
		"full speed")
	f.IntVar(&ld.MaxJobs, "max-jobs", ld.MaxJobs, "put: end the run after so many jobs")
	f.BoolVar(&ld.Whole, "whole", ld.Whole, "put, cycle, cycles: measure until -max-jobs jobs were put, instead of "+
		"for -time, without -warmup")
	f.BoolVar(&ld.Kill, "kill", ld.Kill, "restart: end the server with SIGKILL")
	f.IntVar(&ld.Window, "window", ld.Window, "push: a consumer's window; 0: auto-commit")
	f.IntVar(&ld.Commit, "commit", ld.Commit, "push: items in a request that commits")
	f.DurationVar(&ld.Warmup, "warmup", ld.Warmup, "unmeasured time before the measurement")
	f.DurationVar(&ld.Duration, "time", ld.Duration, "length of the measurement")
	f.Uint64Var(&ld.Seed, "seed", ld.Seed, "seed of everything drawn at random")
	ld.Disturb.flags(f)
}

func (ld *Load) Apart() bool {
	return ld.Kind == KindApart || ld.Kind == KindWake || ld.Kind == KindWakeOne
}

// Pushes tells whether consumers of the queue service take the jobs.
func (ld *Load) Pushes() bool { return ld.Kind == KindPush || ld.Kind == KindPushOne }

// One tells whether there is one job at a time.
func (ld *Load) One() bool { return ld.Kind == KindPushOne || ld.Kind == KindWakeOne }

// ByJob tells whether an operation is a job that was put and delivered, and not a command.
func (ld *Load) ByJob() bool { return ld.Pushes() || ld.One() }

// Stamped loads carry the time of their put in the body, to measure delivery.
func (ld *Load) Stamped() bool { return ld.Apart() || ld.One() }

// StampSize bytes at the start of a body may carry the time it was put.
const StampSize = 8

// Check fills what was left open and refuses what cannot be run.
func (ld *Load) Check() error {
	if ld.One() {
		ld.Connections, ld.Producers, ld.Depth = 2, 1, 1
	}
	if (ld.Apart() || ld.Pushes()) && ld.Producers == 0 {
		ld.Producers = max(1, ld.Connections/2)
	}
	if ld.Kind != KindNeighbour {
		ld.Disturb = Disturb{}
	}
	if ld.Whole {
		ld.Warmup, ld.Duration = 0, wholePatience
	}
	switch {
	case !slices.Contains(kinds, ld.Kind):
		return fmt.Errorf("no load %q; there are %v", ld.Kind, kinds)
	case ld.Connections < 1 || ld.Connections > 60000:
		return errors.New("-c must lie between 1 and 60000")
	case ld.Depth < 1 || ld.Depth > 10000:
		return errors.New("-depth must lie between 1 and 10000")
	case ld.Tubes < 1 || ld.Backlog < 0 || ld.Rate < 0 || ld.MaxJobs < 1:
		return errors.New("-tubes, -backlog, -rate, -max-jobs: a number is too small")
	case ld.Duration <= 0 || ld.Warmup < 0:
		return errors.New("-time and -warmup: want a positive time")
	case ld.BacklogIn != backlogOwn && ld.BacklogIn != BacklogSame && ld.BacklogIn != BacklogSpread:
		return fmt.Errorf("-backlog-in %q: want own, same or spread", ld.BacklogIn)
	case ld.Whole && (ld.Rate > 0 || !slices.Contains([]string{KindPut, KindCycle, KindCycles}, ld.Kind)):
		return errors.New("-whole is for put, cycle and cycles at full speed")
	case ld.Keyed && ld.Kind != KindPut:
		return errors.New("-keyed is for put")
	case ld.Kill && ld.Kind != KindRestart:
		return errors.New("-kill is for restart")
	case ld.Kind == KindMemory && ld.Backlog == 0:
		return errors.New("memory needs -backlog")
	case ld.Kind == KindNeighbour:
		return ld.Disturb.check(ld)
	}
	return errors.Join(ld.checkApart(), ld.checkPush())
}

// checkPush holds a consumer to what lets it go on: its window must hold what it commits
// at once, and a request is written as a whole.
func (ld *Load) checkPush() error {
	switch {
	case !ld.Pushes():
		return nil
	case ld.Producers < 1 || ld.Producers >= ld.Connections:
		return errors.New("need at least one producer and one consumer")
	case ld.Window < 0 || ld.Window > 0 && (ld.Commit < 1 || ld.Commit > min(ld.Window, 1000)):
		return errors.New("-commit must lie between 1 and 1000, and not above -window")
	case ld.Body.Min != ld.Body.Max || ld.Body.Min < StampSize:
		return fmt.Errorf("push: bodies have one size, of %d bytes or more", StampSize)
	}
	return nil
}

// Affordable refuses a backlog that would bring the machine to its knees. A job of
// the heaviest server known takes 300 bytes besides its body.
func Affordable(ld *Load) error {
	need := int64(ld.Backlog) * int64(ld.Body.Max+300)
	if have := machine.Meminfo("MemAvailable:"); have > 0 && need > have/10*7 {
		return fmt.Errorf("a backlog of %d jobs may need %d MB; %d MB are available", ld.Backlog, need>>20, have>>20)
	}
	return nil
}

// JobOperations is how many operations a job takes.
func (ld *Load) JobOperations() int {
	switch ld.Kind {
	case KindCycle, KindCycles:
		return commandsPerCycle
	case KindHop:
		return commandsPerCycle + 1
	}
	return 1
}

// IsMemory tells whether the load is none, and only memory is measured.
func (ld *Load) IsMemory() bool {
	switch ld.Kind {
	case KindMemory, KindIdle, KindConsumers, KindGets:
		return true
	}
	return false
}

// checkApart holds loads with separate roles to what lets them go on: a job must
// always have somebody who may take it.
func (ld *Load) checkApart() error {
	if !ld.Apart() {
		return nil
	}
	workers := ld.Connections - ld.Producers
	switch {
	case ld.Producers < 1 || workers < 1:
		return errors.New("need at least one producer and one worker")
	case !ld.WatchAll && workers < ld.Tubes:
		return fmt.Errorf("%d workers cannot watch %d tubes, one each: add -watch-all or workers", workers, ld.Tubes)
	case ld.Body.Min < StampSize:
		return fmt.Errorf("bodies must have %d bytes or more: they carry a time", StampSize)
	}
	return nil
}

// commandsPerCycle counts put, reserve and delete.
const commandsPerCycle = 3

// Batch is how many commands go out in one write.
func (ld *Load) Batch() int {
	if ld.Kind == KindCycles {
		return ld.Depth * commandsPerCycle
	}
	return ld.Depth
}

// Repeats is how often a disturbed measurement is made again, of so often at most. One
// that fills a disk for minutes is not: the next would be no calmer.
func (ld *Load) Repeats(most int) int {
	if ld.Kind == KindRestart && ld.Backlog > 0 {
		return 0
	}
	return most
}

// InFlight bounds the jobs between their put and their reservation, so that fast
// producers do not fill the server: closed loops stay in balance, and a wake load
// nearly always finds a waiting worker.
func (ld *Load) InFlight() int64 {
	switch {
	case ld.One():
		return 1
	case ld.Kind == KindWake:
		return int64(max(1, (ld.Connections-ld.Producers)/2))
	case ld.Kind == KindPush: // what consumers may have, and what is on its way to the server
		return int64((ld.Connections-ld.Producers)*max(ld.Window, 100) + ld.Producers*ld.Depth)
	case ld.Rate > 0:
		return 1_000_000
	default:
		return 10_000
	}
}
