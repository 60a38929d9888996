package stalls

import (
	"context"
	"time"

	"beanfield/tools/bench/generator"
	"beanfield/tools/bench/load"
)

// A disturbance is what the neighbour is measured beside. While that is measured, both
// are driven by the same goroutine: another one would take the processor from the
// neighbour, which would look like a stall of the server.
type disturbance interface {
	// prepare does all that comes before begin. It may take long.
	prepare(ctx context.Context) error
	// starts is when it begins by itself; zero: with begin.
	starts() time.Time
	begin() error
	// step does a little, without waiting. worked says whether there was anything to do.
	step() (worked bool, err error)
	over() bool
	// end closes what is open, whether it was over or not.
	end()
}

// disturbedTube is the tube of all disturbances but busy, which has that of other loads.
const disturbedTube = "bench-disturbed"

func newDisturbance(t generator.Target, ld *load.Load) disturbance {
	switch ld.Disturb.By {
	case load.DisturbBody:
		return &large{addr: t.Addr, size: ld.Disturb.Large}
	case load.DisturbBusy:
		return &busy{target: t, load: ld, kind: load.KindCycles}
	case load.DisturbFill:
		return &busy{target: t, load: ld, kind: load.KindPut, tube: disturbedTube}
	case load.DisturbHangup:
		return &hangup{addr: t.Addr, load: ld}
	case load.DisturbWatch:
		return &watch{addr: t.Addr, load: ld}
	case load.DisturbList:
		return newList(t.Addr, ld)
	case load.DisturbStats:
		return newStats(t.Addr, ld)
	case load.DisturbReserve:
		return &reserve{addr: t.Addr, load: ld}
	}
	jobs := newCrowd(t.Addr, ld)
	switch ld.Disturb.By {
	case load.DisturbKick:
		return &kick{crowd: jobs}
	case load.DisturbDeath:
		return &death{crowd: jobs}
	case load.DisturbDue:
		return &due{crowd: jobs}
	case load.DisturbPause:
		return &pause{crowd: jobs, staff: staff{addr: t.Addr}}
	case load.DisturbStuck:
		return &stuck{crowd: jobs, queue: t.Queue}
	default:
		return &overhaul{crowd: jobs, queue: t.Queue}
	}
}
