package command

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"beanfield/conn/beanstalk/client"
)

// deleteJobs is the command delete.
func deleteJobs(c *call) error {
	return c.forEach("delete %d", "DELETED", "delete", ready, delayed, buried)
}

// forEach sends a command for each job that the command line names, many at a time. It is to do something with jobs
// in these states.
func (c *call) forEach(format, success, to string, states ...string) error {
	all, err := ids(c.words)
	if err != nil {
		return err
	}
	return c.withServer(func(s *server) error {
		var gone []uint64
		var refused error
		err := s.askEach(all, func(id uint64, r []client.Reply) error {
			switch err := r[0].Want(success); {
			case isGone(err):
				gone = append(gone, id)
			case err != nil && refused == nil:
				refused = fmt.Errorf("job %d: %w", id, err)
			}
			return nil
		}, format)
		if err != nil {
			return err
		}
		return errors.Join(refused, s.missing(gone, to, states...))
	})
}

// buryJobs is the command bury.
func buryJobs(c *call) error {
	all, err := ids(c.words)
	if err != nil {
		return err
	}
	return c.withServer(func(s *server) error {
		var gone []uint64
		for _, id := range all {
			j, err := s.lookUp(id)
			if err == nil && j.State != buried {
				var r client.Reply
				if r, err = s.Askf("reserve-job %d", id); err == nil {
					err = wantHeld(r)
				}
				if err == nil {
					err = s.buryHeld(&j)
				}
			}
			if isGone(err) {
				gone = append(gone, id)
			} else if err != nil {
				return fmt.Errorf("job %d: %w", id, err)
			}
		}
		return s.missing(gone, "reserve", ready, delayed, buried)
	})
}

// errOld explains a server without reserve-job.
var errOld = errors.New("this needs a beanstalkd of version 1.12 or newer, with reserve-job")

// wantHeld wants a job to be reserved, or one of these replies.
func wantHeld(r client.Reply, or ...string) error {
	if r.Word == "UNKNOWN_COMMAND" {
		return errOld
	}
	return r.Want(append(or, "RESERVED")...)
}

// buryHeld buries a job that this connection has reserved.
func (s *server) buryHeld(j *job) error {
	_, err := s.Get("BURIED", "bury %d %d", j.ID, j.Pri)
	return err
}

// kick is the command of that name.
type kick struct {
	Jobs bool `flag:"jobs the arguments are ids of jobs, not a tube"`
}

func (a *kick) run(c *call) error {
	if a.Jobs {
		return c.forEach("kick-job %d", "KICKED", "kick", delayed, buried)
	}
	if len(c.words) == 0 || len(c.words) > 2 {
		return usagef("name one tube, and the number of jobs if you like")
	}
	most := uint64(1<<32 - 1)
	if len(c.words) == 2 {
		var err error
		if most, err = strconv.ParseUint(c.words[1], 10, 32); err != nil {
			return usagef("%q is not a number of jobs", c.words[1])
		}
	}
	return c.onTube(c.words[0], func(s *server, d client.Document) error {
		n, err := s.kick(d, most)
		return c.counted("kicked", n, err)
	})
}

// kickBatch is how many jobs are kicked with one command: no other client waits long.
const kickBatch = 1000

// kick kicks what is buried, or, if nothing is, what is delayed. Also if there is nothing, it asks the server,
// which says whether it may.
func (s *server) kick(d client.Document, most uint64) (kicked uint64, err error) {
	there := d.Number("current-jobs-buried")
	if there == 0 {
		there = d.Number("current-jobs-delayed")
	}
	if err := s.use(d.Get("name")); err != nil {
		return 0, err
	}
	ctx, end := interruptible(s)
	defer end()
	for most = min(most, uint64(max(there, 1))); kicked < most; {
		if err := stopped(ctx); err != nil {
			return kicked, err
		}
		batch := min(most-kicked, kickBatch)
		r, err := s.Get("KICKED", "kick %d", batch)
		if kicked += r.Number; err != nil || r.Number < batch {
			return kicked, err
		}
	}
	return kicked, nil
}

// counted prints how many jobs something was done with, also if it then failed, unless it was refused.
func (c *call) counted(done string, n uint64, err error) error {
	if n == 0 && (isGone(err) || isAnswer(err, "BAD_FORMAT")) {
		return err
	}
	form := "%s %d\n"
	if c.json {
		form = "{%q:%d}\n"
	}
	_, told := fmt.Fprintf(c.Stdout, form, done, n)
	return errors.Join(err, told)
}

// pauseTube is the command pause.
func pauseTube(c *call) error {
	if len(c.words) != 2 {
		return usagef("name a tube and a time")
	}
	var length seconds
	if err := length.Set(c.words[1]); err != nil {
		return usageError{err}
	}
	if err := checkTubes(c.words[0]); err != nil {
		return err
	}
	return c.withServer(func(s *server) error {
		_, err := s.Get("PAUSED", "pause-tube %s %d", c.words[0], length)
		return err
	})
}

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
