package command

import (
	"bufio"
	"fmt"
	"slices"
	"time"

	"beanfield/conn/beanstalk/client"
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
	return c.withServer(func(s *client.Client) error {
		if err := watch(s, c.words); err != nil {
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

// watch watches these tubes alone, or default if there are none. It asks for default too: the server says whether it
// gives jobs from there.
func watch(s *client.Client, tubes []string) error {
	if len(tubes) == 0 {
		tubes = []string{"default"}
	}
	for _, tube := range tubes {
		if _, err := ask(s, "WATCHING", "watch %s", tube); err != nil {
			return err
		}
	}
	if slices.Contains(tubes, "default") {
		return nil
	}
	_, err := ask(s, "WATCHING", "ignore default")
	return err
}

// one takes a job, prints it, and only then deletes or buries it if asked to (U2). A job that
// is to be released stays reserved until the connection closes; otherwise the next reserve
// would return the same job.
func (a *reserve) one(c *call, s *client.Client) (found bool, err error) {
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
		if j, err = lookUp(s, r.Number); err != nil {
			return false, err
		}
	}
	j.setBody(r.Body)
	out := bufio.NewWriter(c.Stdout)
	if err := c.printJob(out, &j, a.Raw); err != nil {
		return false, err
	}
	if err := out.Flush(); err != nil {
		return false, err
	}
	switch a.Then {
	case thenDelete:
		_, err = ask(s, "DELETED", "delete %d", j.ID)
	case thenBury:
		err = buryHeld(s, j.ID, j.Pri)
	}
	if err != nil {
		return false, fmt.Errorf("job %d was printed, but %s failed: %w", j.ID, a.Then, err)
	}
	return true, nil
}
