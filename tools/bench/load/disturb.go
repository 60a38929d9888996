package load

import (
	"errors"
	"flag"
	"fmt"
	"slices"
	"time"
)

// A Disturb says what happens beside the neighbour of a load of kind neighbour. How
// many jobs, workers or connections it takes are the load's own numbers.
type Disturb struct {
	By    string        `json:"by"`
	Large int           `json:"large,omitempty"` // bytes of the body of DisturbBody
	Again int           `json:"again"`           // how often in all
	Peace time.Duration `json:"peace_ns"`        // measured before each
}

// What the neighbour is disturbed by.
const (
	DisturbKick  = "kick"  // every job of a tube is buried, and kicked with one command
	DisturbDeath = "death" // a worker that has reserved every job of a tube closes its connection
	DisturbDue   = "due"   // delayed jobs come due, all in one second
	DisturbPause = "pause" // workers wait for jobs of a paused tube, and the pause ends
	DisturbBody  = "body"  // a large job is put, reserved by another connection, deleted
	DisturbBusy  = "busy"  // connections work as hard as they can
	DisturbFill  = "fill"  // connections put as fast as they can

	DisturbHangup  = "hangup"  // connections that watch many tubes each hang up, all at once
	DisturbWatch   = "watch"   // one connection watches very many tubes
	DisturbList    = "list"    // list-tubes, of very many tubes
	DisturbStats   = "stats"   // stats-tube of a tube for which very many clients wait
	DisturbReserve = "reserve" // reserves by a client that watches very many tubes
	DisturbSearch  = "search"  // all bodies of a tube are searched, with list-jobs
)

// Disturbances by the queue service.
const (
	DisturbTouch        = "touch"         // it looks for an item of a tube for the first time
	DisturbGroup        = "group"         // a queue gets a second group
	DisturbDrop         = "drop"          // the second group is removed
	DisturbTruncate     = "truncate"      // every job is ended, in a queue with one group
	DisturbTruncateView = "truncate-view" // likewise, with two groups
	DisturbStuck        = "stuck"         // consumers that never read
)

var (
	Disturbances = slices.Concat([]string{
		DisturbKick, DisturbDeath, DisturbDue, DisturbPause, DisturbBody, DisturbBusy, DisturbFill,
		DisturbHangup, DisturbWatch, DisturbList, DisturbStats, DisturbReserve, DisturbSearch,
	}, QueueDisturbances)
	QueueDisturbances = []string{DisturbTouch, DisturbGroup, DisturbDrop, DisturbTruncate, DisturbTruncateView,
		DisturbStuck}
)

// UsesQueue tells whether the server must have a queue service.
func (s *Disturb) UsesQueue() bool { return slices.Contains(QueueDisturbances, s.By) }

// UsesJobs tells whether jobs are put beforehand.
func (s *Disturb) UsesJobs() bool {
	return s.UsesQueue() || slices.Contains([]string{DisturbKick, DisturbDeath, DisturbDue, DisturbPause,
		DisturbSearch}, s.By)
}

func defaultDisturb() Disturb {
	return Disturb{By: DisturbKick, Large: 1 << 30, Again: 3, Peace: time.Second}
}

func (s *Disturb) flags(f *flag.FlagSet) {
	f.StringVar(&s.By, "disturb", s.By, "neighbour: `what` disturbs it: "+fmt.Sprint(Disturbances))
	f.IntVar(&s.Large, "large", s.Large, "`bytes` of the large job (neighbour disturbed by body)")
	f.IntVar(&s.Again, "again", s.Again, "`times` that the neighbour is disturbed")
	f.DurationVar(&s.Peace, "peace", s.Peace, "`time` that the neighbour is measured before, each time")
}

// check fills in how many jobs there are, and refuses what cannot be run.
func (s *Disturb) check(ld *Load) error {
	switch {
	case !s.UsesJobs():
		ld.Backlog = 0
	case ld.Backlog == 0:
		ld.Backlog = 1_000_000
	}
	if s.By != DisturbBody {
		s.Large = 0
	}
	switch {
	case !slices.Contains(Disturbances, s.By):
		return fmt.Errorf("-disturb %q: there are %v", s.By, Disturbances)
	case s.Large < 0 || s.Large > 1<<30 || s.Again < 1 || s.Peace <= 0:
		return errors.New("-large, -again, -peace: a number is out of range")
	case ld.Body.Min != ld.Body.Max && s.By != DisturbBusy:
		return errors.New("-body: the jobs of a disturbance have one size")
	case s.By == DisturbPause && ld.Connections > ld.Backlog:
		return errors.New("each worker that waits must get a job: -c must not be above -backlog")
	}
	return Affordable(ld)
}
