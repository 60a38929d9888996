package command

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"beanfield/conn/beanstalk/client"
)

// move is the command of that name.
type move struct{ sweep }

func (a *move) run(c *call) error {
	if len(c.words) != 2 {
		return usagef("name two tubes")
	}
	from, to := c.words[0], c.words[1]
	if err := checkTubes(to); err != nil {
		return err
	}
	if from == to {
		return usagef("the two tubes are the same")
	}
	return c.onTube(from, func(s *client.Client, d client.Document) error {
		can, err := s.Can("move-jobs")
		if err != nil {
			return err
		}
		if can {
			n, err := a.byServer(c, s, d, to)
			return c.counted("moved", n, err)
		}
		// Two connections, as each uses one tube.
		return c.withServer(func(target *client.Client) error {
			if err := use(s, from); err != nil {
				return err
			}
			if err := use(target, to); err != nil {
				return err
			}
			n, err := a.each(c, s, d, "move", func(t *taker, most int) (int, bool, error) {
				return t.move(target, most)
			})
			if err == nil && len(a.damaged) > 0 {
				err = a.damaged
			}
			return c.counted("moved", n, err)
		})
	})
}

// callMost is how many jobs the server moves with one command.
const callMost = 1000

// byServer has a server that can move jobs move them. It ends when all have been tried that were there, or when nothing
// goes any more.
func (a *move) byServer(c *call, s *client.Client, d client.Document, to string) (moved uint64, err error) {
	total := a.total(d)
	show := c.progress("move", int(total))
	defer show.done()
	ctx, end := interruptible(s)
	defer end()
	stay := uint64(0)
	for _, state := range a.States {
		left := min(uint64(d.Number("current-jobs-"+state)), total-moved)
		for cursor := ""; left > 0; {
			if err := stopped(ctx); err != nil {
				return moved, err
			}
			line := fmt.Sprintf("move-jobs %s %s state=%s limit=%d", c.words[0], to, state, min(left, callMost))
			if cursor != "" {
				line += " " + client.Option("cursor", cursor)
			}
			n, stayed, next, err := s.Alter("MOVED", line)
			if moved, left = moved+n, left-min(left, n+stayed); err != nil {
				return moved, err
			}
			if stay += stayed; n == 0 && stayed > 0 {
				return moved, staying(stay)
			}
			show.set(int(moved))
			if cursor = next; cursor == "" {
				break
			}
		}
	}
	if stay > 0 {
		return moved, staying(stay)
	}
	return moved, nil
}

func staying(n uint64) error {
	return fmt.Errorf("%d jobs stay where they are: the other tube is full, somebody has taken them, or they are "+
		"damaged", n)
}

// move moves jobs, at most that many: it holds some, so that no worker takes them, puts copies
// into the target's tube, and deletes those of which there are copies (U2).
func (t *taker) move(target *client.Client, most int) (n int, more bool, err error) {
	held, more, err := t.hold(most)
	if err != nil || len(held) == 0 {
		return 0, more, err
	}
	var stored []job
	failed := putCopies(target, held)
	for i := range held {
		if failed[i] == nil {
			stored = append(stored, held[i])
			continue
		}
		back := giveBack(t.s, &held[i])
		if err == nil || back != nil {
			err = fmt.Errorf("job %d stays: %w", held[i].ID, errors.Join(err, failed[i], back))
		}
	}
	n, doubled := deleteAll(t.s, stored, nil)
	if doubled == nil && n < len(stored) {
		doubled = client.Refused{Word: "NOT_FOUND"}
	}
	if doubled != nil {
		doubled = fmt.Errorf("%d of the jobs from %d to %d are in both tubes now: %w", len(stored)-n, stored[0].ID,
			stored[len(stored)-1].ID, doubled)
	}
	return n, more, errors.Join(err, doubled)
}

// giveBack ends a hold: the job is again in the state that it had. Without it a buried job
// would be ready once the connection closes.
func giveBack(s *client.Client, j *job) error {
	if j.State == buried {
		return buryHeld(s, j.ID, j.Pri)
	}
	_, err := ask(s, "RELEASED", "release %d %d %d", j.ID, j.Pri, j.Delay)
	return err
}

// hidden is the delay with which a job is put that is to be buried at once: no worker
// may see it before.
const hidden = 3600

// putCopies puts jobs into the used tube, in the states that they had, and says which failed.
func putCopies(s *client.Client, list []job) (failed []error) {
	failed = make([]error, len(list))
	ids := make([]uint64, len(list))
	n := 0
	pipe := s.Pipe(func(r client.Reply) error {
		ids[n], failed[n] = r.Number, r.Want("INSERTED")
		n++
		return nil
	})
	err := func() error {
		for i := range list {
			body := list[i].body()
			if err := pipe.Put(putLine(list[i].putOptions(), len(body)), body); err != nil {
				return err
			}
		}
		return pipe.Flush()
	}()
	for ; n < len(list); n++ {
		failed[n] = err // the connection is lost, and it is not known what has become of it
	}
	for i := range list {
		if list[i].State == buried && failed[i] == nil {
			failed[i] = buryNew(s, ids[i], list[i].Pri)
		}
	}
	return failed
}

func (j *job) putOptions() putOptions {
	t := putOptions{Pri: uint64(j.Pri), Delay: seconds(j.Delay), TTR: seconds(j.TTR)}
	if j.State == buried {
		t.Delay = hidden
	}
	return t
}

// buryNew buries a job that was put hidden.
func buryNew(s *client.Client, id uint64, pri uint32) error {
	var held, done error
	err := askEach(s, slices.Values([]uint64{id}), func(_ uint64, r []client.Reply) error {
		held, done = wantHeld(r[0]), r[1].Want("BURIED")
		return nil
	}, "reserve-job %d", fmt.Sprintf("bury %%d %d", pri))
	if err = cmp.Or(err, held); err != nil {
		return fmt.Errorf("job %d could not be buried and becomes ready in an hour: %w", id, err)
	}
	return done
}
