package schedule

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	cron "github.com/netresearch/go-cron"
)

// Calendar knows when a cron expression ticks in a time zone. It never changes.
//
// The library only reads the expression and counts along a calendar without daylight saving time: it
// is shown the local time as if it were UTC. What becomes of local times that are skipped, or come
// twice, is decided here (TK2).
type Calendar struct {
	local  *cron.SpecSchedule
	zone   *time.Location
	hourly bool // it ticks in every hour of a day, so also in both of an hour that comes twice
}

const (
	// searchYears is how far ahead a tick is looked for: from a 29th of February it may be eight years
	// to the next.
	searchYears = 12
	everyHour   = 1<<24 - 1
	anyDay      = 1 << 63 // the library's mark of a field that is *
)

var parser = cron.MustNewParser(cron.SecondOptional | cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow |
	cron.Descriptor | cron.DomL | cron.DowOrDom).WithMaxSearchYears(searchYears)

// ErrNever says that an expression is about a day that does not exist.
var ErrNever = errors.New("it never ticks: there is no such day")

// NewCalendar reads a cron expression: the five fields of crontab(5), or six if the first one is to
// mean seconds, or a word such as @daily.
func NewCalendar(expression string, zone *time.Location) (*Calendar, error) {
	expression = strings.TrimSpace(expression)
	switch {
	case expression == "":
		return nil, errors.New("no expression")
	case strings.Contains(expression, "TZ="):
		return nil, errors.New("the time zone is a key of its own: zone")
	}
	fields := strings.Fields(expression)
	for _, f := range fields {
		if err := checkField(f); err != nil && !strings.HasPrefix(expression, "@") {
			return nil, err
		}
	}
	s, err := parser.Parse(expression)
	if err != nil {
		return nil, err
	}
	local, ok := s.(*cron.SpecSchedule)
	if !ok {
		return nil, errors.New("@every counts from no certain time: write */5 in the field of the minutes, or of " +
			"the seconds")
	}
	local.Location = time.UTC
	markDays(local, fields)
	c := &Calendar{local: local, zone: zone, hourly: local.Hour&everyHour == everyHour}
	if c.Next(time.Now()).IsZero() {
		return nil, ErrNever
	}
	return c, nil
}

// fieldForm is how crontab(5) writes a field: the library also takes signs, and leaves out what it cannot read.
var fieldForm = regexp.MustCompile(`^` + element + `(,` + element + `)*$`)

const element = `([*?]|[0-9A-Za-z]+(-[0-9A-Za-z]+)?)(/[0-9]+)?`

// checkField refuses what crontab refuses and the library does not.
func checkField(field string) error {
	if !fieldForm.MatchString(field) {
		return fmt.Errorf("%q: want numbers, names, ranges and steps, with commas in between", field)
	}
	for part := range strings.SplitSeq(field, ",") {
		span, _, _ := strings.Cut(part, "/")
		if from, to, ranged := strings.Cut(span, "-"); ranged && rank(from) > rank(to) {
			return fmt.Errorf("%q: a range begins with the smaller one", span)
		}
	}
	return nil
}

// rank is the number that a word of a field stands for; it is below all others if it is none.
func rank(word string) int {
	if n, err := strconv.Atoi(word); err == nil {
		return n
	}
	for first, names := range []string{"sunmontuewedthufrisat", "janfebmaraprmayjunjulaugsepoctnovdec"} {
		if i := strings.Index(names, strings.ToLower(word)); i >= 0 {
			return first + i/3
		}
	}
	return -1
}

// markDays makes a field of days that begins with * restrict the other one, and not add to it, as
// crontab(5) says. For the library only a field that is nothing but * does.
func markDays(s *cron.SpecSchedule, fields []string) {
	if len(fields) < 5 {
		return // a word
	}
	fields = fields[len(fields)-5:]
	if strings.HasPrefix(fields[2], "*") {
		s.Dom |= anyDay
	}
	if strings.HasPrefix(fields[4], "*") {
		s.Dow |= anyDay
	}
}

// Next is the first tick after t, in the zone, or the zero time if there is none.
func (c *Calendar) Next(t time.Time) time.Time {
	from := t.Truncate(time.Second).Add(time.Second).In(c.zone)
	for last := from.Year() + searchYears; from.Year() <= last; {
		begin, end := from.ZoneBounds() // between them, local time runs as time does
		next := c.regular(from, begin)
		if s := c.skipped(from, begin); !s.IsZero() && (next.IsZero() || s.Before(next)) {
			next = s
		}
		switch {
		case !next.IsZero() && (end.IsZero() || next.Before(end)):
			return next
		case end.IsZero():
			return time.Time{}
		}
		from = end
	}
	return time.Time{}
}

// regular is the first tick, from there on, of a local time that there is, if the offset of from
// holds until then. Times that have come already before the clock was set back at begin do not count
// again.
func (c *Calendar) regular(from, begin time.Time) time.Time {
	offset, first := offsetOf(from), from
	if back := offsetBefore(begin) - offset; back > 0 && !begin.IsZero() && !c.hourly {
		if once := begin.Add(back); once.After(first) {
			first = once
		}
	}
	return c.after(first.Add(offset-time.Second), offset)
}

// skipped is the first tick, from there on, of a local time that was skipped when the clock was set
// forward at begin: it is when a clock shows it that has not been set yet.
func (c *Calendar) skipped(from, begin time.Time) time.Time {
	before := offsetBefore(begin)
	ahead := offsetOf(from) - before
	if begin.IsZero() || ahead <= 0 || !from.Before(begin.Add(ahead)) {
		return time.Time{}
	}
	next := c.after(from.Add(before-time.Second), before)
	if next.IsZero() || !next.Before(begin.Add(ahead)) {
		return time.Time{}
	}
	return next
}

// after is the first tick whose local time is after that one, by a clock with that offset.
func (c *Calendar) after(local time.Time, offset time.Duration) time.Time {
	next := c.local.Next(local.UTC())
	if next.IsZero() {
		return next
	}
	return next.Add(-offset).In(c.zone)
}

func offsetOf(t time.Time) time.Duration {
	_, seconds := t.Zone()
	return time.Duration(seconds) * time.Second
}

// offsetBefore is the offset that held until begin.
func offsetBefore(begin time.Time) time.Duration {
	if begin.IsZero() {
		return 0
	}
	return offsetOf(begin.Add(-time.Second))
}
