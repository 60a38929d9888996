package schedule

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"beanfield/storage/must"
)

// clock is the moment that a word is: minutes, or minutes and seconds, as in 11:59.
func clock(word string) int64 {
	m, s, _ := strings.Cut(word, ":")
	var minute, second int64
	fmt.Sscan(m, &minute)
	fmt.Sscan(s, &second)
	return 60*minute + second
}

// TK3, TK4: what is put after a time without the server, with refusals, and after jumps of the clock. Ticks
// come each minute; times are minutes and seconds. A look is a moment, and behind it what is put then, how many are
// lost, as -2, and "refused" if what is put is refused.
func TestDue(t *testing.T) {
	for name, c := range map[string]struct {
		missed            Missed
		last, from, looks string
	}{
		"in time":          {Skip, "10:30", "10:30", "10:59, 11 11, 11:30, 12:01 12"},
		"down, skip":       {Skip, "10", "13:05", "13:05 -3, 14 14"},
		"down, once":       {Once, "10", "13:05", "13:05 13 -2, 14 14"},
		"down, all":        {All, "10", "12:05", "12:05 11 12, 13 13"},
		"down for no tick": {Once, "10", "10:59", "10:59, 11 11"},
		"down at the tick": {Skip, "10", "11", "11 -1, 12 12"},
		"refused, skip": {Skip, "10:01", "10:01",
			"11 11 refused, 11:59 11 refused, 12 12 -1 refused, 12:01 12"},
		"refused, once": {Once, "10:01", "10:01", "11 11 refused, 12 11 12 refused, 13 12 13 -1"},
		"refused, all":  {All, "10:01", "10:01", "11 11 refused, 12 11 12"},
		"held up":       {Skip, "10:01", "10:01", "10:50, 12:10 11 12"},
		"asleep":        {Skip, "10:01", "10:01", "10:50, 15 -5, 16 16"},
		"set back":      {All, "10:01", "10:01", "11 11, 9, 11:30, 12 12"},
		"before a tick": {Skip, "10:01", "10:01", "11 11 refused, 10:30, 11 11"},
	} {
		k := course{calendar: must.Get(NewCalendar("* * * * *", time.UTC)), missed: c.missed}
		k.begin(clock(c.last), clock(c.from))
		for look := range strings.SplitSeq(c.looks, ", ") {
			moment, told, _ := strings.Cut(look, " ")
			at := clock(moment)
			put, lost := k.due(at)
			var got []string
			for _, p := range put {
				got = append(got, fmt.Sprint(p/60))
			}
			if lost > 0 {
				got = append(got, fmt.Sprint(-lost))
			}
			want, refused := strings.CutSuffix(told, " refused")
			if strings.Join(got, " ") != want {
				t.Errorf("%s: at %s put and lost are %v, want %s", name, moment, got, want)
			}
			for _, p := range put {
				if p%60 != 0 {
					t.Errorf("%s: at %s put %d, which is no tick", name, moment, p)
				}
				if !refused {
					k.done(p)
				}
			}
			if next := k.upcoming(at); next <= max(at, k.last) {
				t.Errorf("%s: at %s the next one is said to come at %d", name, moment, next)
			}
		}
	}
}

// After a long time no more than MostMissed are put, the last ones, and finding them takes no long time.
func TestMostMissed(t *testing.T) {
	k := course{calendar: must.Get(NewCalendar("* * * * * *", time.UTC)), missed: All}
	const year = 365 * 24 * 3600
	k.begin(1_800_000_000, 1_800_000_000+20*year)
	put, lost := k.due(1_800_000_000 + 20*year)
	if len(put) != MostMissed || put[MostMissed-1] != 1_800_000_000+20*year || lost < 1 {
		t.Errorf("%d are put until %d, %d lost", len(put), put[len(put)-1], lost)
	}
}
