package command

import (
	"errors"
	"fmt"

	"beanfield/cmd/beanfield/client"
)

// move is the command of that name.
type move struct{ sweep }

func (a *move) run(c *call) error {
	if len(c.words) != 2 {
		return usagef("name two tubes")
	}
	from, to := c.words[0], c.words[1]
	if err := checkTube(to); err != nil {
		return err
	}
	if from == to {
		return usagef("the two tubes are the same")
	}
	return c.onTube(from, func(s *client.Client, d client.Document) error {
		// Two connections, as each uses one tube.
		return c.withServer(func(target *client.Client) error {
			if err := use(s, from); err != nil {
				return err
			}
			if err := use(target, to); err != nil {
				return err
			}
			n, err := a.each(c, d, "move", func(state string) (bool, error) { return moveNext(s, target, state) })
			return c.counted("moved", n, a.json, err)
		})
	})
}

// moveNext puts the next job of a state into the target's tube, and deletes it (U2). It
// holds the job meanwhile, so that no worker takes it.
func moveNext(s, target *client.Client, state string) (found bool, err error) {
	for range tries {
		r, err := s.Ask("peek-" + state)
		if err != nil || r.Word == "NOT_FOUND" {
			return false, err
		}
		if err := r.Want("FOUND"); err != nil {
			return false, err
		}
		j, err := lookUp(s, r.Number)
		if err == nil {
			err = hold(s, r.Number)
		}
		if isGone(err) {
			continue // a worker was quicker
		}
		if err != nil {
			return false, err
		}
		j.setBody(r.Body)
		if err := putCopy(target, &j); err != nil {
			return false, fmt.Errorf("job %d stays: %w", j.ID, errors.Join(err, giveBack(s, &j)))
		}
		r, err = s.Askf("delete %d", j.ID)
		if err == nil {
			err = r.Want("DELETED")
		}
		if err != nil {
			return false, fmt.Errorf("job %d is in both tubes now: %w", j.ID, err)
		}
		return true, nil
	}
	return false, nil
}

// giveBack ends a hold: the job is again in the state that it had. Without it a buried job
// would be ready once the connection closes.
func giveBack(s *client.Client, j *job) error {
	if j.State == buried {
		return buryHeld(s, j.ID, j.Pri)
	}
	r, err := s.Askf("release %d %d %d", j.ID, j.Pri, j.Delay)
	if err == nil {
		err = r.Want("RELEASED")
	}
	return err
}

// hidden is the delay with which a job is put that is to be buried at once: no worker
// may see it before.
const hidden = 3600

// putCopy puts a job into the used tube, in the state that it had.
func putCopy(s *client.Client, j *job) error {
	id, err := putJob(s, j)
	if err == nil && j.State == buried {
		err = buryNew(s, id, j.Pri)
	}
	return err
}

func (j *job) terms() terms {
	t := terms{pri: uint(j.Pri), delay: uint(j.Delay), ttr: uint(j.TTR)}
	if j.State == buried {
		t.delay = hidden
	}
	return t
}

func putJob(s *client.Client, j *job) (id uint64, err error) {
	body := j.body()
	r, err := s.Put(putLine(j.terms(), len(body)), body)
	if err == nil {
		err = r.Want("INSERTED")
	}
	return r.Number, err
}

// buryNew buries a job that was put hidden.
func buryNew(s *client.Client, id uint64, pri uint32) error {
	if err := hold(s, id); err != nil {
		return fmt.Errorf("job %d could not be buried and becomes ready in an hour: %w", id, err)
	}
	return buryHeld(s, id, pri)
}
