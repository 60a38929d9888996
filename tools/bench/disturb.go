package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"time"
)

// A disturb says what happens beside the neighbour of a load of kind neighbour. How
// many jobs, workers or connections it takes are the load's own numbers.
type disturb struct {
	By    string        `json:"by"`
	Large int           `json:"large,omitempty"` // bytes of the body of disturbBody
	Again int           `json:"again"`           // so often in all
	Peace time.Duration `json:"peace_ns"`        // measured before each
}

// What the neighbour is disturbed by.
const (
	disturbKick  = "kick"  // every job of a tube is buried, and kicked with one command
	disturbDeath = "death" // a worker that has reserved every job of a tube closes its connection
	disturbDue   = "due"   // delayed jobs come due, all in one second
	disturbPause = "pause" // workers wait for jobs of a paused tube, and the pause ends
	disturbBody  = "body"  // a large job is put, reserved by another connection, deleted
	disturbBusy  = "busy"  // connections work as hard as they can
)

var disturbances = []string{disturbKick, disturbDeath, disturbDue, disturbPause, disturbBody, disturbBusy}

func defaultDisturb() disturb {
	return disturb{By: disturbKick, Large: 1 << 30, Again: 3, Peace: time.Second}
}

func (s *disturb) flags(f *flag.FlagSet) {
	f.StringVar(&s.By, "disturb", s.By, "neighbour: `what` disturbs it: "+fmt.Sprint(disturbances))
	f.IntVar(&s.Large, "large", s.Large, "`bytes` of the large job (neighbour disturbed by body)")
	f.IntVar(&s.Again, "again", s.Again, "`times` that the neighbour is disturbed")
	f.DurationVar(&s.Peace, "peace", s.Peace, "`time` that the neighbour is measured before, each time")
}

// check fills in how many jobs there are, and refuses what cannot be run.
func (s *disturb) check(ld *load) error {
	if ld.Backlog == 0 {
		ld.Backlog = million
	}
	if s.By != disturbBody {
		s.Large = 0
	}
	known := false
	for _, by := range disturbances {
		known = known || by == s.By
	}
	switch {
	case !known:
		return fmt.Errorf("-disturb %q: there are %v", s.By, disturbances)
	case s.Large < 0 || s.Large > 1<<30 || s.Again < 1 || s.Peace <= 0:
		return errors.New("-large, -again, -peace: a number is out of range")
	case ld.Body.Min != ld.Body.Max && s.By != disturbBusy:
		return errors.New("-body: the jobs of a disturbance have one size")
	case s.By == disturbPause && ld.Connections > ld.Backlog:
		return errors.New("each worker that waits must get a job: -c must not be above -backlog")
	}
	return affordable(ld)
}

// A disturbance is what the neighbour is measured beside. While that is measured, both
// are driven by the same goroutine: another one would take the processor from the
// neighbour, and seem to be a stall of the server.
type disturbance interface {
	// prepare leaves the server so that only begin is missing. It takes its time.
	prepare(ctx context.Context) error
	// starts is when it begins by itself; zero: with begin.
	starts() time.Time
	begin() error
	// step does a little at most, without waiting, and tells whether there was anything
	// to do.
	step() (worked bool, err error)
	over() bool
	// end closes what is open, whether it was over or not.
	end()
}

// disturbedTube is the tube in which all disturbances but one take place; busy has that
// of other loads.
const disturbedTube = "bench-disturbed"

func newDisturbance(t target, ld *load) disturbance {
	jobs := newCrowd(t.addr, ld)
	switch ld.Disturb.By {
	case disturbKick:
		return &kick{crowd: jobs}
	case disturbDeath:
		return &death{crowd: jobs}
	case disturbDue:
		return &due{crowd: jobs}
	case disturbPause:
		return &pause{crowd: jobs}
	case disturbBody:
		return &large{addr: t.addr, size: ld.Disturb.Large}
	default:
		return &busy{target: t, load: ld}
	}
}
