package command

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"time"
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
	return c.withServer(func(s *server) error {
		t := trail{tail: a, json: c.json, s: s, pattern: pattern, out: bufio.NewWriter(c.Stdout), errs: c.Stderr}
		err := t.begin()
		if err == nil {
			fmt.Fprintf(c.Stderr, "jobs after %d, as they come\n", t.seen)
		}
		for err == nil {
			if err = t.look(); err == nil {
				<-time.After(a.Every)
			}
		}
		if errors.Is(err, errEnough) {
			return nil
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
	s       *server
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

// begin learns where to start.
func (t *trail) begin() (err error) {
	if t.known, err = t.s.newestID(); err == nil {
		t.seen = t.known
		_, err = t.put()
	}
	return err
}

// put is how many jobs were put since it was asked last.
func (t *trail) put() (uint64, error) {
	d, err := t.s.Stats("stats")
	before := t.total
	t.total = d.Number("total-jobs")
	return uint64(max(t.total-before, 0)), err
}

// look shows the jobs that have come since the last look.
func (t *trail) look() error {
	more, err := t.put()
	if err != nil {
		return err
	}
	t.known += more
	ids := append(t.holes, idsFrom(t.seen+1, t.known+beyond+1)...)
	var wanted []uint64
	there, newest := make(map[uint64]bool, len(ids)), t.seen
	err = t.s.survey(ids, func(j *job) error {
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
	newest = max(newest, t.known-min(t.known, behind))
	t.holes = nil
	for _, id := range ids {
		if id > t.seen && id <= newest && !there[id] {
			t.holes = append(t.holes, id) // to be looked at once more
		}
	}
	t.seen = newest
	before := t.shown
	damaged, err := t.s.fetch(wanted, t.show)
	if err == nil && t.shown == before && len(damaged) == 0 {
		err = t.s.stillThere(wanted)
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
	if t.shown++; err == nil && t.shown == t.Most {
		err = errEnough
	}
	return err
}
