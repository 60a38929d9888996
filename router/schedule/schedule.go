package schedule

import (
	"time"

	"github.com/cespare/xxhash/v2"
)

// Schedule is what is to be put, and when.
type Schedule struct {
	Name string // no other one has it
	Rule Rule

	Tube            string
	Pri, Delay, TTR uint32 // as of a put
	Body            []byte
	Missed          Missed

	From string // where it was written, for those who look
}

// Rule is an expression in a zone, as it was written, and the ticks that it has.
type Rule struct {
	Cron, Zone string
	Calendar   *Calendar
}

// sum tells rules apart. A schedule that gets another one begins anew.
func (r *Rule) sum() uint64 { return xxhash.Sum64String(r.Cron + "\n" + r.Zone) }

// Missed says what becomes of ticks that were missed.
type Missed uint8

// Skip gives them up, Once puts a job for the last of them, All one for each, but for no more than
// MostMissed.
const (
	Skip Missed = iota
	Once
	All
)

// MostMissed is for how many missed ticks of a schedule jobs are put at once: the last ones.
const MostMissed = 1000

// Info is how a schedule is getting on.
type Info struct {
	Schedule
	Last, Next time.Time // ticks; zero if there is none

	// Since the schedule is in the list: jobs that were put, ticks that were given up, and those
	// whose put was refused at least once.
	Puts, Lost, Refused uint64
	Refusal             string // why the last put was refused; "" if it was not
}
