package compare

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"beanfield/tools/bench/load"
	"beanfield/tools/bench/result"
)

// A row is one load of the comparison. To add one, add it to a table of rows.
type row struct {
	name string
	// {jobs} in it is the number of jobs put beforehand, {puts} that of -max-jobs, {large} the size of a large one
	title   string
	set     string    // also part of this set
	awaited bool      // also part of the set of that name: the next command is sent when the one before was answered
	load    load.Load // length, warm-up and seed come from the flags of compare
	// unpinned rows leave it to the system where servers and generator run.
	unpinned bool
	wait     string // how the generator waits for replies; "": spins where it is pinned
	class    string // which servers take part; "": those that keep jobs in memory alone
	// own is a load of the same server that the row is compared with; nil: the row is
	// compared with the baseline, beanstalkd.
	own *load.Load
	// half runs open loop, at half of what the baseline reaches at full speed.
	half  bool
	alone bool // without the baseline, which would take far too long
	// everybody is added to the command of every server.
	everybody string
	// flags are added to beanfield's command; {config} in them is a file with config.
	flags  string
	config string
	rounds int // at most so many; 0: as many as asked for
	goals  []goal
}

// chooseRows reads a list of names of rows and sets, with commas; all is every row.
func chooseRows(list string) ([]row, error) {
	var chosen []row
	for name := range strings.SplitSeq(list, ",") {
		found := false
		for _, r := range rows {
			if name != r.name && name != "all" && (name != r.set || r.set == "") && (name != awaitedSet || !r.awaited) {
				continue
			}
			found = true
			if !slices.ContainsFunc(chosen, func(c row) bool { return c.name == r.name }) {
				chosen = append(chosen, r)
			}
		}
		if !found {
			return nil, fmt.Errorf("no row %q; there are first, persistence, awaited, stalls, all, %s", name,
				rowNames())
		}
	}
	return chosen, nil
}

func rowNames() string {
	var names []string
	for _, r := range rows {
		names = append(names, r.name)
	}
	return strings.Join(names, ", ")
}

// scaled is the row with so many times the jobs put beforehand, and a title that tells
// their number.
func (r row) scaled(by float64) *row {
	if by > 0 && by != 1 {
		part := func(n int) int { return max(min(n, 1), int(float64(n)*by)) }
		r.load.Backlog = part(r.load.Backlog)
		if r.load.Whole {
			r.load.MaxJobs = part(r.load.MaxJobs)
		}
		if r.load.Kind == load.KindNeighbour {
			r.load.Disturb.Large = int(float64(r.load.Disturb.Large) * min(by, 1))
			r.load.Tubes = part(r.load.Tubes)
			if r.load.Connections > busyConnections {
				r.load.Connections = part(r.load.Connections)
			}
		}
	}
	r.title = strings.NewReplacer(
		"{jobs}", jobCount(r.load.Backlog), "{puts}", jobCount(r.load.MaxJobs), "{tubes}", jobCount(r.load.Tubes),
		"{clients}", jobCount(r.load.Connections),
		"{large}", fmt.Sprintf("%d MiB", r.load.Disturb.Large>>20)).Replace(r.title)
	return &r
}

// busyConnections are so few that a smaller scale keeps them.
const busyConnections = 50

func jobCount(n int) string {
	if n >= million && n%million == 0 {
		return fmt.Sprintf("%d million", n/million)
	}
	return result.Grouped(float64(n))
}

// roundsOf is how many of the rounds asked for the row takes.
func (r *row) roundsOf(asked int) int {
	if r.rounds > 0 {
		return min(asked, r.rounds)
	}
	return asked
}

// timed gives a row's load the length that was asked for.
func timed(ld load.Load, warmup, duration time.Duration, seed uint64) load.Load {
	ld.Warmup, ld.Duration, ld.Seed = warmup, duration, seed
	return ld
}
