package tube

import (
	"testing"
	"time"
)

// A tale is a history in seconds.
type tale struct{ h *History }

func (s tale) ask(client int, k Kind, o Outcome, id uint64, call, answer float64) {
	token := uint64(0)
	if k == Put || k == Reserve && o == Done {
		token = 100 + id // the tests give a job's token by its id
	}
	if k == Put && o != Done {
		id = 0
	}
	s.h.Note(Ask{Client: client, Kind: k, Outcome: o, ID: id, Token: token,
		Call: time.Duration(call * float64(time.Second)), Return: time.Duration(answer * float64(time.Second))})
}

// drain reserves and deletes these jobs, from 100 on.
func (s tale) drain(ids ...uint64) {
	at := 100.0
	for _, id := range ids {
		s.ask(9, Reserve, Done, id, at, at+1)
		s.ask(9, Delete, Done, id, at+2, at+3)
		at += 4
	}
	s.ask(9, Reserve, Refused, 0, at, at+1)
}

var tales = map[string]struct {
	want Verdict
	tell func(s tale)
}{
	"put, and drained": {Right, func(s tale) {
		s.ask(1, Put, Done, 1, 1, 2)
		s.drain(1)
	}},
	"lost": {Wrong, func(s tale) {
		s.ask(1, Put, Done, 1, 1, 2)
		s.drain()
	}},
	"perhaps put": {Right, func(s tale) {
		s.ask(1, Put, Unknown, 1, 1, -1)
		s.drain()
	}},
	"perhaps put, and seen": {Right, func(s tale) {
		s.ask(1, Put, Unknown, 1, 1, -1)
		s.ask(2, Reserve, Refused, 0, 3, 4)
		s.drain(1)
	}},
	"perhaps put, seen, and gone": {Wrong, func(s tale) {
		s.ask(1, Put, Unknown, 1, 1, -1)
		s.ask(2, Reserve, Done, 1, 3, 4)
		s.ask(2, Release, Done, 1, 5, 6)
		s.drain()
	}},
	"seen before it was put": {Wrong, func(s tale) {
		s.ask(2, Reserve, Done, 1, 1, 2)
		s.ask(1, Put, Done, 1, 3, 4)
		s.ask(2, HangUp, Done, 0, 2, -1)
		s.drain(1)
	}},
	"put but refused, and there": {Wrong, func(s tale) {
		s.ask(1, Put, Refused, 1, 1, 2)
		s.drain(1)
	}},
	"the later one first": {Wrong, func(s tale) {
		s.ask(1, Put, Done, 1, 1, 2)
		s.ask(1, Put, Done, 2, 3, 4)
		s.ask(2, Reserve, Done, 2, 5, 6)
		s.ask(2, HangUp, Done, 0, 6, -1)
		s.drain(1, 2)
	}},
	"two holders": {Wrong, func(s tale) {
		s.ask(1, Put, Done, 1, 1, 2)
		s.ask(2, Reserve, Done, 1, 3, 4)
		s.ask(3, Reserve, Done, 1, 5, 6)
		s.ask(2, Release, Done, 1, 7, 8)
		s.ask(3, HangUp, Done, 0, 6, -1)
		s.drain(1)
	}},
	"a second holder when the first has gone": {Right, func(s tale) {
		s.ask(1, Put, Done, 1, 1, 2)
		s.ask(2, Reserve, Done, 1, 3, 4)
		s.ask(2, HangUp, Done, 0, 4, -1)
		s.ask(3, Reserve, Done, 1, 5, 6)
		s.ask(3, Delete, Done, 1, 7, 8)
		s.drain()
	}},
	"back after its delete": {Wrong, func(s tale) {
		s.ask(1, Put, Done, 1, 1, 2)
		s.ask(2, Reserve, Done, 1, 3, 4)
		s.ask(2, Delete, Done, 1, 5, 6)
		s.drain(1)
	}},
	"perhaps deleted, and there": {Right, func(s tale) {
		s.ask(1, Put, Done, 1, 1, 2)
		s.ask(2, Reserve, Done, 1, 3, 4)
		s.ask(2, Delete, Unknown, 1, 5, -1)
		s.ask(2, HangUp, Done, 0, 4, -1)
		s.drain(1)
	}},
	"perhaps deleted, seen once more, and gone": {Right, func(s tale) {
		s.ask(1, Put, Done, 1, 1, 2)
		s.ask(2, Reserve, Done, 1, 3, 4)
		s.ask(2, Delete, Unknown, 1, 5, -1)
		s.ask(2, HangUp, Done, 0, 4, -1)
		s.ask(3, Reserve, Done, 1, 6, 7)
		s.ask(3, Release, Done, 1, 8, 9)
		s.drain()
	}},
	"a lost reserve has it": {Right, func(s tale) {
		s.ask(1, Put, Done, 1, 1, 2)
		s.ask(2, Reserve, Unknown, 0, 3, -1)
		s.ask(3, Reserve, Refused, 0, 5, 6)
		s.ask(2, HangUp, Done, 0, 2, -1)
		s.drain(1)
	}},
	"nobody has it": {Wrong, func(s tale) {
		s.ask(1, Put, Done, 1, 1, 2)
		s.ask(3, Reserve, Refused, 0, 5, 6)
		s.drain(1)
	}},
	"a holder is refused": {Wrong, func(s tale) {
		s.ask(1, Put, Done, 1, 1, 2)
		s.ask(2, Reserve, Done, 1, 3, 4)
		s.ask(2, Release, Refused, 1, 5, 6)
		s.ask(2, HangUp, Done, 0, 6, -1)
		s.drain(1)
	}},
	"a delete by another while it is held": {Wrong, func(s tale) {
		s.ask(1, Put, Done, 1, 1, 2)
		s.ask(2, Reserve, Done, 1, 3, 4)
		s.ask(3, Delete, Done, 1, 5, 6)
		s.ask(2, Reserve, Refused, 0, 7, 8)
		s.ask(2, HangUp, Done, 0, 8, -1)
		s.drain()
	}},
	"a release by another": {Wrong, func(s tale) {
		s.ask(1, Put, Done, 1, 1, 2)
		s.ask(2, Reserve, Done, 1, 3, 4)
		s.ask(3, Release, Done, 1, 5, 6)
		s.ask(2, HangUp, Done, 0, 4, -1)
		s.drain(1)
	}},
}

// FR9.
func TestHistories(t *testing.T) {
	for name, c := range tales {
		s := tale{New("t")}
		c.tell(s)
		if got := s.h.Check(99*time.Second, time.Minute); got != c.want {
			t.Errorf("%s: %v, want %v: %v", name, got, c.want, s.h)
		}
	}
}
