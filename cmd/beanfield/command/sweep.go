package command

import (
	"errors"
	"fmt"
	"slices"

	"beanfield/conn/beanstalk/client"
)

// sweep is what purge and move have in common: they take the jobs of a tube, but no more
// than there were at the start, so that they end while others put.
type sweep struct {
	States stateList `flag:"state only jobs in these <states>"`
	Most   uint64    `flag:"n stop after this <number> of jobs; 0: take all"`
}

// share does something with jobs, at most that many: with n it was done, and some stay as they are. more is whether
// there may be others.
type share func(most uint64) (n, stay uint64, more bool, err error)

// tries is how often to look for jobs again if somebody else was quicker to take them.
const tries = 1000

// total is how many jobs there are to take.
func (a *sweep) total(d client.Document) (n uint64) {
	for _, state := range a.States {
		n += uint64(d.Number("current-jobs-" + state))
	}
	if a.Most > 0 {
		n = min(n, a.Most)
	}
	return n
}

// each takes shares of each state until it has dealt with as many jobs as there were, or finds none.
func (a *sweep) each(c *call, s *server, d client.Document, what string,
	begin func(state string) (share, error)) (n uint64, err error) {
	total := a.total(d)
	show := c.progress(what, int(total))
	defer show.done()
	ctx, end := interruptible(s)
	defer end()
	for _, state := range a.States {
		take, err := begin(state)
		if err != nil {
			return n, err
		}
		left := min(uint64(d.Number("current-jobs-"+state)), total-n)
		for idle := 0; left > 0 && idle < tries; idle++ {
			if err := stopped(ctx); err != nil {
				return n, err
			}
			did, stay, more, err := take(left)
			n, left = n+did, left-min(left, did+stay)
			if err != nil {
				return n, err
			}
			if !more {
				break
			}
			if did > 0 {
				idle = 0
			}
			show.set(int(n))
		}
	}
	return n, nil
}

// taken is each with takers. If nothing could be taken, the right to peek may be missing.
func (a *sweep) taken(c *call, s *server, d client.Document, what string,
	take func(t *taker) share) (n uint64, err error) {
	tube := d.Get("name")
	if err := s.use(tube); err != nil {
		return 0, err
	}
	n, err = a.each(c, s, d, what, func(state string) (share, error) {
		t, err := s.newTaker(tube, state, a.Most > 0)
		return take(t), err
	})
	if n == 0 && err == nil && a.total(d) > 0 {
		err = s.mayPeek(tube)
	}
	return n, err
}

// purge is the command of that name.
type purge struct{ sweep }

func (a *purge) run(c *call) error {
	if len(c.words) != 1 {
		return usagef("name one tube")
	}
	if err := checkTubes(c.words[0]); err != nil {
		return err
	}
	return c.withServer(func(s *server) error {
		n, err := a.delete(c, s)
		return c.counted("purged", n, err)
	})
}

// delete has the server delete all jobs, if it can. Otherwise, and if there are to be so many at most, it deletes one
// after the other.
func (a *purge) delete(c *call, s *server) (n uint64, err error) {
	can, err := s.Can("truncate")
	if err != nil {
		return 0, err
	}
	if can && a.Most == 0 {
		states := slices.Compact(slices.Sorted(slices.Values(a.States)))
		if len(states) == 3 {
			states = nil // an older server knows only that
		}
		defer c.progress("purge", 0).done()
		_, end := interruptible(s) // the server may still say how many there were
		defer end()
		return s.Truncate(c.words[0], states...)
	}
	d, err := s.Stats("stats-tube " + c.words[0])
	if err != nil {
		return 0, err
	}
	return a.taken(c, s, d, "purge", func(t *taker) share { return t.delete })
}

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
	return c.onTube(from, func(s *server, d client.Document) error {
		can, err := s.Can("move-jobs")
		if err != nil {
			return err
		}
		if can {
			n, err := a.byServer(c, s, d, to)
			return c.counted("moved", n, err)
		}
		// Two connections, as each uses one tube.
		return c.withServer(func(target *server) error {
			if err := target.use(to); err != nil {
				return err
			}
			n, err := a.taken(c, s, d, "move", func(t *taker) share {
				return func(most uint64) (n, stay uint64, more bool, err error) { return t.move(target, most) }
			})
			return c.counted("moved", n, err)
		})
	})
}

// callMost is how many jobs the server moves with one command.
const callMost = 1000

// byServer has a server that can move jobs move them. It ends when all have been tried that were there, or when nothing
// goes any more.
func (a *move) byServer(c *call, s *server, d client.Document, to string) (moved uint64, err error) {
	stayed := uint64(0)
	moved, err = a.each(c, s, d, "move", func(state string) (share, error) {
		cursor := ""
		return func(most uint64) (n, stay uint64, more bool, err error) {
			line := fmt.Sprintf("move-jobs %s %s state=%s limit=%d", d.Get("name"), to, state, min(most, callMost))
			if cursor != "" {
				line += " " + client.Option("cursor", cursor)
			}
			n, stay, cursor, err = s.Alter("MOVED", line)
			if stayed += stay; err == nil && n == 0 && stay > 0 {
				err = staying(stayed)
			}
			return n, stay, cursor != "", err
		}, nil
	})
	if err == nil && stayed > 0 {
		err = staying(stayed)
	}
	return moved, err
}

func staying(n uint64) error {
	return fmt.Errorf(
		"%d jobs stay where they are: the other tube is full, somebody has taken them, or they are damaged", n)
}

// move moves jobs, at most that many, as a share: it holds some, so that no worker takes them, puts copies
// into the target's tube, and deletes those of which there are copies (U2).
func (t *taker) move(target *server, most uint64) (n, _ uint64, more bool, err error) {
	held, more, err := t.hold(most)
	if err != nil || len(held) == 0 {
		return 0, 0, more, err
	}
	var stored []job
	failed := target.putCopies(held)
	for i := range held {
		if failed[i] == nil {
			stored = append(stored, held[i])
			continue
		}
		back := t.s.giveBack(&held[i])
		if err == nil || back != nil {
			err = fmt.Errorf("job %d stays: %w", held[i].ID, errors.Join(err, failed[i], back))
		}
	}
	n, doubled := t.s.deleteAll(stored)
	if doubled == nil && int(n) < len(stored) {
		doubled = client.Refused{Word: "NOT_FOUND"}
	}
	if doubled != nil {
		doubled = fmt.Errorf("%d of the jobs from %d to %d are in both tubes now: %w",
			len(stored)-int(n), stored[0].ID, stored[len(stored)-1].ID, doubled)
	}
	return n, 0, more, errors.Join(err, doubled)
}

// putCopies puts jobs into the used tube, in the states that they had, and says which failed.
func (s *server) putCopies(list []job) (failed []error) {
	copies := slices.Clone(list)
	failed = make([]error, len(list))
	n := 0
	pipe := s.Pipe(func(r client.Reply) error {
		copies[n].ID, failed[n] = r.Number, r.Want("INSERTED")
		n++
		return nil
	})
	err := error(nil)
	for i := 0; i < len(list) && err == nil; i++ {
		body := list[i].body()
		err = pipe.Put(putLine(&list[i], len(body)), body)
	}
	if err == nil {
		err = pipe.Flush()
	}
	for ; n < len(list); n++ {
		failed[n] = err // the connection is lost, and it is not known what has become of it
	}
	for i := range copies {
		if list[i].State == buried && failed[i] == nil {
			failed[i] = s.bury(copies[i : i+1])
		}
	}
	return failed
}
