package command

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"beanfield/conn/beanstalk/client"
)

// taker takes the jobs of a tube that are in one state, many with one round trip. Without
// ahead it takes them in the order of the tube.
type taker struct {
	s           *server
	tube, state string
	next        uint64 // the job that was peeked last; 0: peek again
	width       int    // how many ready jobs are reserved at once, as long as they are small
	ahead       int    // how many ids behind that of next are looked at; 0: none
	peeking     bool   // jobs cannot be reserved: they are not ready, or their tube is paused
	blind       bool   // the next job is damaged, and the reply to a peek does not say which one it is
}

const (
	firstWidth, lastWidth = 8, 100
	// wideEnough is how many bytes one batch of jobs should have.
	wideEnough            = 1 << 20
	firstAhead, lastAhead = 16, 400
	// mostHeld is how many delayed or buried jobs are held at once. If a move is cut short they
	// become ready, so they are few.
	mostHeld = 10
)

// newTaker makes a taker. If no order is needed, it may look ahead.
func (s *server) newTaker(tube, state string, ordered bool) (*taker, error) {
	t := &taker{s: s, tube: tube, state: state, width: firstWidth, ahead: firstAhead, peeking: true}
	if ordered {
		t.ahead = 0
	}
	if state != ready {
		return t, nil
	}
	t.peeking = s.watch(tube) != nil // or there is no right to reserve
	return t, s.Err()
}

// reserve reserves jobs, at most n; none if it has to peek. The connection holds them then.
func (t *taker) reserve(n uint64) (held []job, err error) {
	if t.peeking {
		return nil, nil
	}
	bytes := 0
	some := slices.Repeat([]string{"reserve-with-timeout 0"}, int(min(n, uint64(t.width))))
	err = t.s.Each(slices.Values(some), func(_ int, r client.Reply) error {
		if r.Word == "RESERVED" {
			held = append(held, job{ID: r.Number, State: ready, content: contentOf(r.Body)})
			bytes += len(r.Body)
		}
		return nil
	})
	if bytes > wideEnough {
		t.width = max(1, t.width/2)
	} else {
		t.width = min(2*t.width, lastWidth)
	}
	t.peeking = len(held) == 0
	return held, err
}

// then sends commands, hands on the replies, and peeks at the next job.
func (t *taker) then(got func(i int, r client.Reply) error, commands ...string) error {
	return t.s.Each(slices.Values(append(commands, "peek-"+t.state)), func(i int, r client.Reply) error {
		if i < len(commands) {
			return got(i, r)
		}
		t.next, t.blind = 0, r.Word == unreadable
		if r.Word == "NOT_FOUND" || t.blind {
			return nil
		}
		t.next = r.Number
		return r.Want("FOUND")
	})
}

// find finds the next job, unless it is known already.
func (t *taker) find() (found bool, err error) {
	if t.next == 0 {
		err = t.then(nil)
	}
	if err == nil && t.blind {
		var list []client.ListedJob
		list, _, err = t.s.ListJobs("tube="+t.tube, "state="+t.state, "limit=1")
		for _, j := range list {
			t.next = uint64(j.Number("id"))
		}
	}
	return t.next > 0, err
}

// lookAhead finds jobs that may be taken together with the next: those that were put right
// after it are often in the same state.
func (t *taker) lookAhead(most uint64) (found []uint64, err error) {
	wanted := int(min(uint64(t.ahead), most))
	err = t.s.survey(idsFrom(t.next+1, t.next+1+uint64(wanted)), func(j *job) error {
		if j.Tube == t.tube && j.State == t.state {
			found = append(found, j.ID)
		}
		return nil
	})
	switch {
	case 2*len(found) >= t.ahead:
		t.ahead = min(2*t.ahead, lastAhead)
	case 8*len(found) < wanted:
		t.ahead /= 2
	}
	return found, err
}

// delete deletes jobs, at most that many, as a share.
func (t *taker) delete(most uint64) (n, _ uint64, more bool, err error) {
	held, err := t.reserve(most)
	if err != nil || len(held) > 0 {
		n, failed := t.s.deleteAll(held)
		return n, 0, true, cmp.Or(err, failed)
	}
	if found, err := t.find(); !found || err != nil {
		return 0, 0, false, err
	}
	first := t.next
	behind, err := t.lookAhead(most - 1)
	if err != nil {
		return 0, 0, false, err
	}
	commands := []string{fmt.Sprintf("delete %d", first)}
	for _, id := range behind {
		commands = append(commands, fmt.Sprintf("delete %d", id))
	}
	err = t.then(countDeleted(&n), commands...)
	if rules, _ := t.s.Can("truncate"); rules && n == 0 && err == nil && t.next == first {
		err = client.Refused{Word: "NOT_FOUND", Command: "delete", Used: t.tube} // it is still there
	}
	return n, 0, true, err
}

// countDeleted counts the jobs that were still there.
func countDeleted(n *uint64) func(int, client.Reply) error {
	return func(_ int, r client.Reply) error {
		if r.Word == "NOT_FOUND" {
			return nil
		}
		*n++
		return r.Want("DELETED")
	}
}

// deleteAll deletes jobs, and counts those that were still there.
func (s *server) deleteAll(list []job) (n uint64, err error) {
	err = s.Each(func(yield func(string) bool) {
		for i := 0; i < len(list) && yield(fmt.Sprintf("delete %d", list[i].ID)); i++ {
		}
	}, countDeleted(&n))
	return n, err
}

// hold reserves the next jobs, at most n, and finds out all that a copy needs. more is
// whether it found any to try: then there may be others.
func (t *taker) hold(n uint64) (held []job, more bool, err error) {
	if held, err = t.reserve(n); err != nil || len(held) > 0 {
		held, lost := t.describe(held)
		return held, true, errors.Join(err, lost)
	}
	found, err := t.find()
	if !found || err != nil {
		return nil, false, err
	}
	begun, patience := time.Now(), time.Hour
	for range min(n, mostHeld) {
		j, err := t.holdNext()
		if err != nil {
			for i := range held {
				err = errors.Join(err, t.s.giveBack(&held[i]))
			}
			return nil, false, err
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
	all := make([]uint64, len(held))
	for i := range held {
		all[i] = held[i].ID
	}
	err = t.s.askEach(all, func(id uint64, r []client.Reply) error {
		j := held[slices.Index(all, id)]
		err := j.describe(r[0])
		if err == nil && j.State == reserved {
			j.State = ready
			known = append(known, j)
		}
		if isGone(err) {
			return nil
		}
		return err
	}, "stats-job %d")
	return known, err
}

// holdNext reserves the job that was peeked, and peeks at the next one. It returns nil if
// somebody was quicker.
func (t *taker) holdNext() (*job, error) {
	var j job
	var described, held error
	err := t.then(func(i int, r client.Reply) error {
		if i == 0 {
			described = j.describe(r)
		} else {
			held = wantHeld(r)
			j.content = contentOf(r.Body)
		}
		return nil
	}, fmt.Sprintf("stats-job %d", t.next), fmt.Sprintf("reserve-job %d", t.next))
	err = cmp.Or(err, described, held)
	switch {
	case isGone(err):
		return nil, nil
	case err != nil:
		return nil, err
	case j.State != t.state || j.Tube != t.tube: // kicked meanwhile, or its delay is over
		return nil, t.s.giveBack(&j)
	}
	return &j, nil
}

// giveBack ends a hold: the job is again in the state that it had. Without it a buried job
// would be ready once the connection closes.
func (s *server) giveBack(j *job) error {
	if j.State == buried {
		return s.buryHeld(j)
	}
	_, err := s.Get("RELEASED", "release %d %d %d", j.ID, j.Pri, j.Delay)
	return err
}
