package command

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"
)

// reserve is the command of that name.
type reserve struct {
	Raw     bool          `flag:"raw print the bodies without line ends behind them"`
	Timeout time.Duration `flag:"timeout <time> to wait for a job"`
	Count   int           `flag:"n take this <number> of jobs"`
	Then    string        `flag:"then <what> to do with a job once it is printed: delete, bury or release"`
}

// What may become of a job that was reserved.
const (
	thenDelete  = "delete"
	thenBury    = "bury"
	thenRelease = "release"
)

func (a *reserve) run(c *call) error {
	if err := checkTubes(c.words...); err != nil {
		return err
	}
	if !slices.Contains([]string{thenDelete, thenBury, thenRelease}, a.Then) {
		return usagef("-then %s: want delete, bury or release", a.Then)
	}
	if a.Count < 1 {
		return usagef("-n must be at least 1")
	}
	return c.withServer(func(s *server) error {
		if err := s.watch(c.words...); err != nil {
			return err
		}
		for n := range a.Count {
			found, err := a.one(c, s)
			if err != nil {
				return err
			}
			if !found {
				return missingf("no job within %v; %d were there", a.Timeout, n)
			}
		}
		return nil
	})
}

// one takes a job, prints it, and only then deletes or buries it if asked to (U2). A job that
// is to be released stays reserved until the connection closes; otherwise the next reserve
// would return the same job.
func (a *reserve) one(c *call, s *server) (found bool, err error) {
	seconds := int64((a.Timeout + time.Second - 1) / time.Second)
	r, err := s.AskWithin(a.Timeout, fmt.Sprintf("reserve-with-timeout %d", seconds))
	if err != nil || r.Word == "TIMED_OUT" || r.Word == "DEADLINE_SOON" {
		return false, err
	}
	if err := r.Want("RESERVED"); err != nil {
		return false, err
	}
	j := job{ID: r.Number}
	if c.json || a.Then == thenBury {
		if j, err = s.lookUp(r.Number); err != nil {
			return false, err
		}
	}
	j.content = contentOf(r.Body)
	out := bufio.NewWriter(c.Stdout)
	if err := errors.Join(c.printJob(out, &j, a.Raw), out.Flush()); err != nil {
		return false, err
	}
	switch a.Then {
	case thenDelete:
		_, err = s.Get("DELETED", "delete %d", j.ID)
	case thenBury:
		err = s.buryHeld(&j)
	}
	if err != nil {
		return false, fmt.Errorf("job %d was printed, but %s failed: %w", j.ID, a.Then, err)
	}
	return true, nil
}

// peek is the command of that name.
type peek struct {
	Raw   bool     `flag:"raw print the bodies without line ends behind them"`
	Tube  tubeName `flag:"tube show the next job of this <tube>, even if its name is a number"`
	State string   `flag:"state <state> of the next job: ready, delayed or buried"`
}

func (a *peek) run(c *call) error {
	err := a.Tube.take(c)
	var wanted []uint64
	switch {
	case err != nil:
	case a.Tube == "":
		wanted, err = ids(c.words)
	case !slices.Contains([]string{ready, delayed, buried}, a.State):
		err = usagef("-state %s: want ready, delayed or buried", a.State)
	default:
		err = c.noWords()
	}
	if err != nil {
		return err
	}
	return c.withServer(func(s *server) error {
		if tube := string(a.Tube); tube != "" {
			if err := s.use(tube); err != nil {
				return err
			}
			r, err := s.Get("FOUND", "peek-%s", a.State)
			if isGone(err) {
				err = cmp.Or(s.mayPeek(tube), missingf("there is no %s job in tube %s", a.State, tube))
			}
			if err != nil {
				return err
			}
			wanted = []uint64{r.Number}
		}
		return a.show(c, s, wanted)
	})
}

func (a *peek) show(c *call, s *server, wanted []uint64) error {
	out := bufio.NewWriter(c.Stdout)
	gone := slices.Clone(wanted)
	found := func(j *job) { gone = slices.DeleteFunc(gone, func(id uint64) bool { return id == j.ID }) }
	damaged, err := s.fetch(wanted, func(j *job) error {
		found(j)
		return c.printJob(out, j, a.Raw)
	})
	if err = errors.Join(err, out.Flush()); err != nil {
		return err
	}
	for i := range damaged {
		found(&damaged[i])
	}
	err = s.missing(gone, "peek", every...)
	if len(damaged) == 0 {
		return err
	}
	if err != nil {
		fmt.Fprintln(c.Stderr, err)
	}
	return damaged
}
