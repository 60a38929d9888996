package command

import (
	"errors"
	"fmt"
	"iter"
	"time"

	"beanfield/conn/beanstalk/client"
)

// mostHeld is how many delayed or buried jobs are held at once. If a move is cut short they
// become ready, so they are few.
const mostHeld = 10

// hold reserves the next jobs, at most n, and finds out all that a copy needs. more is
// whether it found any to try: then there may be others.
func (t *taker) hold(n int) (held []job, more bool, err error) {
	if t.state == ready && !t.peeking {
		if held, err = t.reserve(n); err != nil || len(held) > 0 {
			held, failed := t.describe(held)
			return held, true, errors.Join(err, failed)
		}
	}
	found, err := t.peek()
	if !found || err != nil {
		return nil, false, err
	}
	begun, patience := time.Now(), time.Hour
	for range min(n, mostHeld) {
		j, err := t.holdNext()
		if err != nil {
			return nil, false, errors.Join(err, giveAllBack(t.s, held))
		}
		if j != nil {
			held = append(held, *j)
			patience = min(patience, time.Duration(j.TTR)*time.Second/4)
		}
		if t.next == 0 || time.Since(begun) > patience {
			break // or the first would be ready again before it is dealt with
		}
	}
	return held, true, nil
}

// describe adds what a put would say of jobs that were reserved. Those that are lost meanwhile, as their
// TTR was too short, are left out.
func (t *taker) describe(held []job) (known []job, err error) {
	n := 0
	err = askEach(t.s, idsOf(held), func(_ uint64, r []client.Reply) error {
		j := held[n]
		n++
		if r[0].Word == "NOT_FOUND" {
			return nil
		}
		err := j.describe(r[0])
		if err == nil && j.State == reserved {
			j.State, j.Text, j.Binary = ready, held[n-1].Text, held[n-1].Binary
			known = append(known, j)
		}
		return err
	}, "stats-job %d")
	return known, err
}

// idsOf are the ids of jobs.
func idsOf(list []job) iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		for i := range list {
			if !yield(list[i].ID) {
				return
			}
		}
	}
}

// holdNext reserves the job that was peeked, and peeks at the next one. It returns nil if
// somebody was quicker.
func (t *taker) holdNext() (*job, error) {
	var j job
	var described, held error
	replies := 0
	pipe := t.s.Pipe(func(r client.Reply) error {
		replies++
		switch replies {
		case 1:
			described = j.describe(r)
			return nil
		case 2:
			held = wantHeld(r)
			j.setBody(r.Body)
			return nil
		}
		return t.peeked(r)
	})
	for _, command := range []string{fmt.Sprintf("stats-job %d", t.next), fmt.Sprintf("reserve-job %d", t.next),
		"peek-" + t.state} {
		if err := pipe.Send(command); err != nil {
			return nil, err
		}
	}
	if err := pipe.Flush(); err != nil {
		return nil, err
	}
	switch {
	case isGone(described) || isGone(held):
		return nil, nil
	case described == nil && isUnreadable(held):
		t.damaged = append(t.damaged, j)
		return nil, nil
	case described != nil || held != nil:
		return nil, errors.Join(described, held)
	case j.State != t.state || j.Tube != t.tube: // kicked meanwhile, or its delay is over
		return nil, giveBack(t.s, &j)
	}
	return &j, nil
}

// giveAllBack ends the hold on jobs.
func giveAllBack(s *client.Client, held []job) (err error) {
	for i := range held {
		err = errors.Join(err, giveBack(s, &held[i]))
	}
	return err
}
