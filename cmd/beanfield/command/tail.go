package command

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"beanfield/conn/beanstalk/client"
)

// tail is the command of that name.
type tail struct {
	Every time.Duration `flag:"interval <time> between two looks"`
	Most  int           `flag:"n end after this <number> of jobs"`
}

func (a *tail) run(c *call) error {
	pattern, err := c.pattern(a.Every > 0, ", or the interval is not above 0")
	if err != nil {
		return err
	}
	t := trail{tail: a, json: c.json, pattern: pattern, out: bufio.NewWriter(c.Stdout), errs: c.Stderr}
	return c.withServer(func(s *client.Client) (err error) {
		t.s = s
		if err := t.begin(); err != nil {
			return err
		}
		fmt.Fprintf(c.Stderr, "jobs after %d, as they come\n", t.seen)
		for err == nil {
			err = t.look()
			if err == nil {
				<-time.After(a.Every)
			}
		}
		if errors.Is(err, errEnough) {
			err = nil
		}
		return err
	})
}

// trail follows the ids. Up to seen all have been looked at: it is the highest id that was
// found. known is about the highest that has been given: jobs that are put and deleted
// between two looks are not found, but the server counts them.
type trail struct {
	*tail
	json    bool
	s       *client.Client
	out     *bufio.Writer
	errs    io.Writer // gets what cannot be shown
	pattern string
	seen    uint64
	known   uint64
	total   int64    // jobs put, by the server's count
	holes   []uint64 // ids below seen that were not found: their bodies may have been on the way
	shown   int
}

// beyond is how far a look goes past the highest id that is known to have been given out.
// Some ids never become jobs, and the server's count leaves them out.
const beyond = 100

// behind is how far seen may stay behind known. It bounds what a look costs, even while
// workers delete all jobs before they are found.
const behind = 10_000

// errEnough ends a tail that has shown as many jobs as it was to show.
var errEnough = errors.New("enough")

func totalJobs(s *client.Client) (int64, error) {
	d, err := s.Stats("stats")
	return d.Number("total-jobs"), err
}

// begin learns where to start.
func (t *trail) begin() (err error) {
	if t.known, err = newestID(t.s); err != nil {
		return err
	}
	t.seen = t.known
	t.total, err = totalJobs(t.s)
	return err
}

// look shows the jobs that have come since the last look.
func (t *trail) look() error {
	total, err := totalJobs(t.s)
	if err != nil {
		return err
	}
	t.known += uint64(max(total-t.total, 0))
	t.total = total
	last := t.known + beyond
	ids := t.holes
	for id := t.seen + 1; id <= last; id++ {
		ids = append(ids, id)
	}
	var wanted []uint64
	there, newest := make(map[uint64]bool, len(ids)), t.seen
	err = survey(t.s, slices.Values(ids), func(j *job) error {
		there[j.ID] = true
		newest = max(newest, j.ID)
		if matches(t.pattern, j.Tube) && j.Tube != probeTube {
			wanted = append(wanted, j.ID)
		}
		return nil
	})
	if err != nil {
		return err
	}
	t.known = max(t.known, newest)
	if t.known > behind {
		newest = max(newest, t.known-behind)
	}
	t.holes = nil
	for _, id := range ids {
		if id > t.seen && id <= newest && !there[id] {
			t.holes = append(t.holes, id) // to be looked at once more
		}
	}
	t.seen = newest
	before := t.shown
	damaged, err := apartFromDamage(fetch(t.s, wanted, t.show))
	if err == nil && t.shown == before && len(damaged) == 0 {
		err = stillThere(t.s, wanted)
	}
	if len(damaged) > 0 {
		fmt.Fprintln(t.errs, damaged)
	}
	return errors.Join(err, t.out.Flush())
}

// show prints one job.
func (t *trail) show(j *job) (err error) {
	if t.json {
		err = encode(t.out, j)
	} else {
		_, err = fmt.Fprintf(t.out, "%d %s %s pri %d: %q\n", j.ID, j.Tube, j.State, j.Pri, j.body())
	}
	t.shown++
	if err == nil && t.shown == t.Most {
		err = errEnough
	}
	return err
}
