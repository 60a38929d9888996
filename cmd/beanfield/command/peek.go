package command

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"slices"

	"beanfield/conn/beanstalk/client"
)

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
	return c.withServer(func(s *client.Client) error {
		if a.Tube != "" {
			id, err := next(s, string(a.Tube), a.State)
			if isGone(err) {
				err = cmp.Or(mayPeek(s, string(a.Tube)), missingf("there is no %s job in tube %s", a.State, a.Tube))
			}
			if err != nil {
				return err
			}
			wanted = []uint64{id}
		}
		return a.show(c, s, wanted)
	})
}

// next is the id of the job that is next in this state.
func next(s *client.Client, tube, state string) (uint64, error) {
	if err := use(s, tube); err != nil {
		return 0, err
	}
	r, err := ask(s, "FOUND", "peek-%s", state)
	return r.Number, err
}

func (a *peek) show(c *call, s *client.Client, wanted []uint64) error {
	out := bufio.NewWriter(c.Stdout)
	gone := slices.Clone(wanted)
	found := func(j *job) { gone = slices.DeleteFunc(gone, func(id uint64) bool { return id == j.ID }) }
	damaged, err := apartFromDamage(fetch(s, wanted, func(j *job) error {
		found(j)
		return c.printJob(out, j, a.Raw)
	}))
	if err = errors.Join(err, out.Flush()); err != nil {
		return err
	}
	if len(damaged) == 0 {
		return c.missing(s, gone, "peek", every...)
	}
	for i := range damaged {
		found(&damaged[i])
	}
	if err := c.missing(s, gone, "peek", every...); err != nil {
		fmt.Fprintln(c.Stderr, err)
	}
	return damaged
}
