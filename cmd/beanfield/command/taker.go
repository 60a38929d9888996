package command

import (
	"fmt"

	"beanfield/conn/beanstalk/client"
)

// taker takes the jobs of a tube that are in one state, many with one round trip. Without
// ahead it takes them in the order of the tube.
type taker struct {
	s           *client.Client
	tube, state string
	next        uint64 // the job that was peeked last; 0: peek again
	width       int    // how many ready jobs are reserved at once, as long as they are small
	ahead       int    // how many ids behind that of next are looked at; 0: none
	peeking     bool   // ready jobs cannot be reserved: their tube is paused

	blind   bool     // peeks fail, as the next job is damaged: see walk
	list    []uint64 // when blind: what is left to try
	damaged damagedError
}

const (
	firstWidth, lastWidth = 8, 100
	// wideEnough is how many bytes one batch of jobs should have.
	wideEnough            = 1 << 20
	firstAhead, lastAhead = 16, 400
)

// newTaker makes a taker. If no order is needed, it may look ahead.
func newTaker(s *client.Client, tube, state string, ordered bool) (*taker, error) {
	t := &taker{s: s, tube: tube, state: state, width: firstWidth, ahead: firstAhead}
	if ordered {
		t.ahead = 0
	}
	if state != ready {
		return t, nil
	}
	r, err := s.Ask("watch " + tube)
	if err == nil && r.Word == "WATCHING" && tube != "default" {
		_, err = s.Ask("ignore default")
	}
	t.peeking = r.Word != "WATCHING"
	return t, err
}

// reserve reserves ready jobs, at most n. The connection holds them then.
func (t *taker) reserve(n int) (held []job, err error) {
	bytes, width := 0, min(n, t.width)
	pipe := t.s.Pipe(func(r client.Reply) error {
		if r.Word == "RESERVED" {
			j := job{ID: r.Number, State: ready}
			j.setBody(r.Body)
			held = append(held, j)
			bytes += len(r.Body)
		}
		return nil
	})
	for range width {
		if err := pipe.Send("reserve-with-timeout 0"); err != nil {
			return nil, err
		}
	}
	err = pipe.Flush()
	if bytes > wideEnough {
		t.width = max(1, t.width/2)
	} else {
		t.width = min(2*t.width, lastWidth)
	}
	t.peeking = len(held) == 0
	return held, err
}

// peek finds the next job, unless it is known already.
func (t *taker) peek() (found bool, err error) {
	if t.next > 0 {
		return true, nil
	}
	r, err := t.s.Ask("peek-" + t.state)
	seeing := !t.blind
	if err == nil {
		err = t.peeked(r)
	}
	if seeing && t.blind && err == nil {
		err = t.walk()
	}
	return t.next > 0, err
}

// peeked takes the reply to a peek.
func (t *taker) peeked(r client.Reply) error {
	t.next = 0
	if t.blind {
		t.nextOfList()
		return nil
	}
	switch r.Word {
	case "NOT_FOUND":
		return nil
	case unreadable:
		t.blind, t.ahead = true, 0
		return nil
	}
	t.next = r.Number
	return r.Want("FOUND")
}

// lookAhead finds jobs that may be taken together with the next: those that were put right
// after it are often in the same state.
func (t *taker) lookAhead(most int) (found []uint64, err error) {
	wanted := min(t.ahead, most)
	if wanted <= 0 {
		return nil, nil
	}
	first := t.next + 1
	err = survey(t.s, func(yield func(uint64) bool) {
		for id := first; id < first+uint64(wanted) && yield(id); id++ {
		}
	}, func(j *job) error {
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

// delete deletes jobs, at most that many, and says how many. more is
// whether it found any to try: then there may be others.
func (t *taker) delete(most int) (n int, more bool, err error) {
	if t.state == ready && !t.peeking {
		held, err := t.reserve(most)
		if err != nil || len(held) > 0 {
			n, failed := deleteAll(t.s, held, nil)
			if err == nil {
				err = failed
			}
			return n, true, err
		}
	}
	found, err := t.peek()
	if !found || err != nil {
		return 0, false, err
	}
	list := []job{{ID: t.next}}
	behind, err := t.lookAhead(most - 1)
	if err != nil {
		return 0, false, err
	}
	for _, id := range behind {
		list = append(list, job{ID: id})
	}
	n, err = deleteAll(t.s, list, t)
	if rules, _ := t.s.Can("truncate"); rules && n == 0 && err == nil && t.next == list[0].ID {
		err = client.Refused{Word: "NOT_FOUND", Command: "delete", Used: t.tube} // it is still there
	}
	return n, true, err
}

// deleteAll deletes jobs, and counts those that were still there. If a taker wants to know
// its next job, it learns that on the way.
func deleteAll(s *client.Client, list []job, next *taker) (n int, err error) {
	replies := 0
	pipe := s.Pipe(func(r client.Reply) error {
		replies++
		switch {
		case replies > len(list):
			return next.peeked(r)
		case r.Word == "NOT_FOUND":
			return nil
		}
		n++
		return r.Want("DELETED")
	})
	for i := range list {
		if err := pipe.Send(fmt.Sprintf("delete %d", list[i].ID)); err != nil {
			return n, err
		}
	}
	if next != nil {
		if err := pipe.Send("peek-" + next.state); err != nil {
			return n, err
		}
	}
	return n, pipe.Flush()
}
