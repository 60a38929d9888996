package main

import (
	"fmt"
	"time"
)

// What is released in the tube failing goes to the tube graveyard, by a policy.
const (
	failing   = "z"
	graveyard = "y"
)

// policies is that, in the configuration.
const policies = `
[[tube]]
match = "` + failing + `"
max_deliveries = 1
count = "releases"
dead_letter = "` + graveyard + `"
`

// state is where the log has a job. A reserved job stands there in its state
// before that, because a restart gives it back.
type state uint8

const (
	unborn state = iota // its put was sent and not answered
	ready
	delayed
	buried
	gone
)

var stateNames = [...]string{"unborn", "ready", "delayed", "buried", "gone"}

func (s state) String() string { return stateNames[s] }

// version is what a restart may find of a job.
type version struct {
	state state
	figures
	span
	rank     uint64 // of a buried job: the one that was buried first has the lower rank
	tube     string
	ttr      uint32
	reserves int // at least so many
}

func (v version) String() string {
	return fmt.Sprintf("%v %v reserves>=%d", v.state, v.figures, v.reserves)
}

// span is between which moments a delayed job becomes ready. The later one is zero while the command that set it has
// not been answered.
type span struct{ due, dueBy time.Time }

// figures are what a restart must not change.
type figures struct {
	pri, delay              uint32
	releases, buries, kicks int
}

func (f figures) String() string {
	return fmt.Sprintf("pri=%d delay=%d releases=%d buries=%d kicks=%d", f.pri, f.delay, f.releases, f.buries, f.kicks)
}

// put is a new job's first version.
func put(now time.Time, pri, delay uint32) version {
	v := version{state: ready, figures: figures{pri: pri, delay: delay}}
	return v.timed(now)
}

// in is a version with what a job has for as long as nobody moves or changes it.
func (v version) in(tube string, ttr uint32) version {
	v.tube, v.ttr = tube, ttr
	return v
}

func (v version) timed(now time.Time) version {
	v.span = span{}
	if v.state == ready && v.delay > 0 {
		v.state, v.due = delayed, now.Add(time.Duration(v.delay)*time.Second)
	}
	return v
}

func (v version) released(now time.Time, pri, delay uint32, reserves int) version {
	v.state, v.pri, v.delay, v.rank, v.reserves = ready, pri, delay, 0, reserves
	v.releases++
	if v.tube == failing { // it is a dead letter
		v.tube, v.span = graveyard, span{}
		return v
	}
	return v.timed(now)
}

func (v version) buriedAs(rank uint64, pri uint32, reserves int) version {
	v.state, v.pri, v.rank, v.reserves, v.span = buried, pri, rank, reserves, span{}
	v.buries++
	return v
}

func (v version) kicked() version {
	v.state, v.rank, v.span = ready, 0, span{}
	v.kicks++
	return v
}

// ended is what a job is that has been deleted.
func (v version) ended() version { return version{state: gone, tube: v.tube, ttr: v.ttr} }

// answered closes the span of a delay.
func (v version) answered(now time.Time) version {
	if v.state == delayed && v.dueBy.IsZero() {
		v.dueBy = now.Add(time.Duration(v.delay) * time.Second)
	}
	return v
}

// slack is how much the clocks of two processes may differ.
const slack = 200 * time.Millisecond

// differs says how what was found contradicts the version, or nothing.
func (v version) differs(f *finding) string {
	if v.state == gone || v.state == unborn {
		return "is there"
	}
	switch {
	case f.tube != v.tube || f.ttr != v.ttr:
		return fmt.Sprintf("is in tube %s with ttr %d, want %s, %d", f.tube, f.ttr, v.tube, v.ttr)
	case v.figures != f.figures:
		return fmt.Sprintf("has %v, want %v", f.figures, v.figures)
	case f.reserves < v.reserves:
		return fmt.Sprintf("has reserves=%d, want %d or more", f.reserves, v.reserves)
	case v.state == delayed:
		return v.untimely(f)
	case f.state != v.state:
		return fmt.Sprintf("is %v, want %v", f.state, v.state)
	}
	return ""
}

// untimely says what is wrong with a delay.
func (v version) untimely(f *finding) string {
	switch {
	case f.state == ready && f.to.Before(v.due.Add(-slack)):
		return fmt.Sprintf("is ready %v too early", v.due.Sub(f.to))
	case f.state == ready:
		return ""
	case f.state != delayed:
		return fmt.Sprintf("is %v, want %v", f.state, delayed)
	}
	left := time.Duration(f.timeLeft) * time.Second
	switch {
	case f.to.Add(left + time.Second + slack).Before(v.due):
		return fmt.Sprintf("is due in %v, %v too early", left, v.due.Sub(f.to.Add(left)))
	case f.from.Add(left - slack).After(v.dueBy):
		return fmt.Sprintf("is due in %v, %v too late", left, f.from.Add(left).Sub(v.dueBy))
	}
	return ""
}

// finding is a job as a server shows it after a restart, between two moments.
type finding struct {
	id    uint64
	tube  string
	state state
	figures
	ttr      uint32
	reserves int
	timeLeft int64
	body     []byte
	from, to time.Time
}
