package command

import (
	"errors"
	"fmt"
	"strconv"

	"beanfield/conn/beanstalk/client"
)

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
	return c.onTube(c.words[0], func(s *client.Client, d client.Document) error {
		n, err := kickSome(s, d, most)
		return c.counted("kicked", n, err)
	})
}

// kickBatch is how many jobs are kicked with one command: no other client waits long.
const kickBatch = 1000

// kickSome kicks what is buried, or, if nothing is, what is delayed. Also if there is nothing, it asks the server,
// which says whether it may.
func kickSome(s *client.Client, d client.Document, most uint64) (kicked uint64, err error) {
	there := d.Number("current-jobs-buried")
	if there == 0 {
		there = d.Number("current-jobs-delayed")
	}
	if err := use(s, d.Get("name")); err != nil {
		return 0, err
	}
	ctx, end := interruptible(s)
	defer end()
	for most = min(most, uint64(max(there, 1))); kicked < most; {
		if err := stopped(ctx); err != nil {
			return kicked, err
		}
		batch := min(most-kicked, kickBatch)
		r, err := ask(s, "KICKED", "kick %d", batch)
		if err != nil {
			return kicked, err
		}
		kicked += r.Number
		if r.Number < batch {
			break
		}
	}
	return kicked, nil
}

// onTube checks a name, connects, and does work with a tube that exists.
func (c *call) onTube(tube string, work func(s *client.Client, d client.Document) error) error {
	if err := checkTubes(tube); err != nil {
		return err
	}
	return c.withServer(func(s *client.Client) error {
		d, err := s.Stats("stats-tube " + tube)
		if err != nil {
			return err
		}
		return work(s, d)
	})
}

// counted prints how many jobs something was done with, also if it then failed, unless it was refused.
func (c *call) counted(done string, n uint64, err error) error {
	if no := new(client.Refused); n == 0 && errors.As(err, no) && (no.Word == "NOT_FOUND" || no.Word == "BAD_FORMAT") {
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
	return c.withServer(func(s *client.Client) error {
		_, err := ask(s, "PAUSED", "pause-tube %s %d", c.words[0], length)
		return err
	})
}
