package tube

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/anishathalye/porcupine"
)

// A Kind is what was asked.
type Kind uint8

const (
	Put Kind = iota
	Reserve
	Delete
	Release
	HangUp
)

var kinds = [...]string{"put", "reserve", "delete", "release", "hang-up"}

// An Outcome is what is known of it.
type Outcome uint8

const (
	Unknown Outcome = iota
	Done
	Refused // by NOT_FOUND, or TIMED_OUT
)

// An Ask is what a client asked, and was answered.
type Ask struct {
	Client  int
	Kind    Kind
	Outcome Outcome
	ID      uint64 // of the job: that was made, that came, or that was asked for
	Token   uint64 // of a put
	Call    time.Duration
	Return  time.Duration // of an answer; else it may happen at any time since
}

func (a Ask) String() string {
	return fmt.Sprintf("client %d: %s of job %d, %s", a.Client, kinds[a.Kind], a.ID, [...]string{"not known", "done",
		"refused"}[a.Outcome])
}

// An entry is a job, and who holds it; 0 for nobody.
type entry struct {
	id     uint64
	holder int
}

// state is the tube, by id.
type state []entry

func (s state) find(id uint64) int {
	return slices.IndexFunc(s, func(e entry) bool { return e.id == id })
}

func (s state) first() int {
	return slices.IndexFunc(s, func(e entry) bool { return e.holder == 0 })
}

func (s state) with(e entry) state {
	next := append(slices.Clone(s), e)
	slices.SortFunc(next, func(x, y entry) int { return cmp.Compare(x.id, y.id) })
	return next
}

func (s state) without(i int) state { return slices.Delete(slices.Clone(s), i, i+1) }

func (s state) held(i, by int) state {
	next := slices.Clone(s)
	next[i].holder = by
	return next
}

// step tells whether the answer is right, and gives the state that follows. What has no answer is
// taken to be done: if it was not, its place in the order is behind everything else.
func step(s state, a Ask) (bool, state) {
	done, can := s.after(a)
	switch {
	case !can:
		return a.Outcome != Done, s
	case a.Outcome == Refused:
		return false, s
	}
	return true, done
}

// after is the state when what was asked is done; false if the tube must refuse it.
func (s state) after(a Ask) (state, bool) {
	i := s.find(a.ID)
	switch a.Kind {
	case Put:
		return s.with(entry{id: a.ID}), i < 0
	case Reserve:
		i = s.first()
		if i < 0 || a.Outcome == Done && s[i].id != a.ID {
			return nil, false
		}
		return s.held(i, a.Client), true
	case Delete:
		if i < 0 || s[i].holder != 0 && s[i].holder != a.Client {
			return nil, false
		}
		return s.without(i), true
	case Release:
		if i < 0 || s[i].holder != a.Client {
			return nil, false
		}
		return s.held(i, 0), true
	}
	next := slices.Clone(s) // the client hangs up
	for n := range next {
		if next[n].holder == a.Client {
			next[n].holder = 0
		}
	}
	return next, true
}

// model is for porcupine.
var model = porcupine.Model{
	Init:  func() any { return state(nil) },
	Step:  func(s, input, _ any) (bool, any) { return step(s.(state), input.(Ask)) },
	Equal: func(x, y any) bool { return slices.Equal(x.(state), y.(state)) },
}
