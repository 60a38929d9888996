package command

import (
	"slices"

	"beanfield/conn/beanstalk/client"
)

// sweep is what purge and move have in common: they take the jobs of a tube, but no more
// than there were at the start, so that they end while others put.
type sweep struct {
	States stateList `flag:"state only jobs in these <states>"`
	Most   uint64    `flag:"n stop after this <number> of jobs; 0: take all"`

	damaged damagedError // what could not be taken
}

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

// each calls take until it has dealt with as many jobs as there were, or finds none.
func (a *sweep) each(c *call, s *client.Client, d client.Document, what string, take func(t *taker, most int) (n int,
	more bool, err error)) (n uint64, err error) {
	total := a.total(d)
	show := c.progress(what, int(total))
	defer show.done()
	ctx, end := interruptible(s)
	defer end()
	for _, state := range a.States {
		t, err := newTaker(s, c.words[0], state, a.Most > 0)
		if err != nil {
			return n, err
		}
		left := min(uint64(d.Number("current-jobs-"+state)), total-n)
		for idle := 0; left > 0 && idle < tries; idle++ {
			if err := stopped(ctx); err != nil {
				return n, err
			}
			taken, more, err := take(t, int(left))
			n, left = n+uint64(taken), left-uint64(taken)
			if err != nil {
				return n, err
			}
			if !more {
				break
			}
			if taken > 0 {
				idle = 0
			}
			show.set(int(n))
		}
		a.damaged = append(a.damaged, t.damaged...)
	}
	if n == 0 && total > 0 {
		return 0, mayPeek(s, c.words[0])
	}
	return n, nil
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
	return c.withServer(func(s *client.Client) error {
		n, err := a.delete(c, s)
		return c.counted("purged", n, err)
	})
}

// delete has the server delete all jobs, if it can. Otherwise, and if there are to be so many at most, it deletes one
// after the other.
func (a *purge) delete(c *call, s *client.Client) (n uint64, err error) {
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
	if err == nil {
		err = use(s, c.words[0])
	}
	if err != nil {
		return 0, err
	}
	return a.each(c, s, d, "purge", (*taker).delete)
}
