package schedule

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"beanfield/storage/must"
)

// zones are those of the tests: by an hour, by half an hour, twice in a year with an extra month
// between, at midnight, and never.
var zones = []string{"Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Africa/Casablanca",
	"America/Santiago", "Asia/Kolkata", "UTC"}

func zone(t testing.TB, name string) *time.Location {
	t.Helper()
	return must.Get(time.LoadLocation(name))
}

// A tick is when RFC 5545 says that a local time is: the first time it comes, or, if it is
// skipped, when a clock shows it that has not been set.
func TestNextAtDaylightSaving(t *testing.T) {
	const form = "2006-01-02 15:04:05 -0700"
	for _, c := range []struct{ zone, cron, from, want string }{
		{"Europe/Berlin", "30 2 * * *", "2026-03-28 12:00:00 +0100", "2026-03-29 03:30:00 +0200"},
		{"Europe/Berlin", "30 2 * * *", "2026-03-29 03:30:00 +0200", "2026-03-30 02:30:00 +0200"},
		{"Europe/Berlin", "30 3 * * *", "2026-03-28 12:00:00 +0100", "2026-03-29 03:30:00 +0200"},
		{"Europe/Berlin", "0 2,3 * * *", "2026-03-29 01:00:00 +0100", "2026-03-29 03:00:00 +0200"},
		{"Europe/Berlin", "0 2,3 * * *", "2026-03-29 03:00:00 +0200", "2026-03-30 02:00:00 +0200"},
		{"Europe/Berlin", "30 2 * * *", "2026-10-24 12:00:00 +0200", "2026-10-25 02:30:00 +0200"},
		{"Europe/Berlin", "30 2 * * *", "2026-10-25 02:30:00 +0200", "2026-10-26 02:30:00 +0100"},
		{"Europe/Berlin", "30 2 * * *", "2026-10-25 02:15:00 +0100", "2026-10-26 02:30:00 +0100"},
		{"Europe/Berlin", "0 * * * *", "2026-10-25 02:00:00 +0200", "2026-10-25 02:00:00 +0100"},
		{"Europe/Berlin", "0 * * * *", "2026-03-29 01:00:00 +0100", "2026-03-29 03:00:00 +0200"},
		{"Europe/Berlin", "*/20 * * * *", "2026-10-25 02:40:00 +0200", "2026-10-25 02:00:00 +0100"},
		{"America/New_York", "0 0 1 11 *", "2026-10-01 00:00:00 -0400", "2026-11-01 00:00:00 -0400"},
		{"America/New_York", "30 1 * * *", "2026-11-01 01:30:00 -0400", "2026-11-02 01:30:00 -0500"},
		{"Australia/Lord_Howe", "15 2 * * *", "2026-10-03 12:00:00 +1030", "2026-10-04 02:45:00 +1100"},
		{"Australia/Lord_Howe", "45 1 * * *", "2027-04-03 12:00:00 +1100", "2027-04-04 01:45:00 +1100"},
		{"Australia/Lord_Howe", "45 1 * * *", "2027-04-04 01:45:00 +1100", "2027-04-05 01:45:00 +1030"},
		// midnight is skipped
		{"America/Santiago", "0 0 * * *", "2026-09-05 12:00:00 -0400", "2026-09-06 01:00:00 -0300"},
		{"Pacific/Apia", "0 12 * * *", "2011-12-29 12:00:00 -1000", "2011-12-31 12:00:00 +1400"}, // the whole day is
	} {
		k := must.Get(NewCalendar(c.cron, zone(t, c.zone)))
		if got := k.Next(must.Get(time.Parse(form, c.from))).Format(form); got != c.want {
			t.Errorf("%s in %s after %s: %s, want %s", c.cron, c.zone, c.from, got, c.want)
		}
	}
}

// set are the numbers that a field of an expression holds, by the rules of crontab(5).
func set(f string, least, most int) (in [61]bool) {
	for part := range strings.SplitSeq(f, ",") {
		span, step, stepped := strings.Cut(part, "/")
		lo, hi, every := least, most, 1
		if stepped {
			fmt.Sscan(step, &every)
		}
		if span != "*" {
			a, b, ranged := strings.Cut(span, "-")
			fmt.Sscan(a, &lo)
			switch {
			case ranged:
				fmt.Sscan(b, &hi)
			case !stepped:
				hi = lo
			}
		}
		for n := lo; n <= hi; n += every {
			in[n] = true
		}
	}
	return in
}

// plain is an expression of six fields, read in the plainest way.
type plain struct {
	second, minute, hour, dom, month, dow [61]bool
	either                                bool // one of the fields of days is enough
}

func readPlain(expression string) *plain {
	f := strings.Fields(expression)
	p := &plain{set(f[0], 0, 59), set(f[1], 0, 59), set(f[2], 0, 23), set(f[3], 1, 31), set(f[4], 1, 12),
		set(f[5], 0, 7), f[3][0] != '*' && f[5][0] != '*'}
	p.dow[0] = p.dow[0] || p.dow[7]
	return p
}

func (p *plain) holds(l time.Time) bool {
	if !p.second[l.Second()] || !p.minute[l.Minute()] || !p.hour[l.Hour()] || !p.month[l.Month()] {
		return false
	}
	dom, dow := p.dom[l.Day()], p.dow[l.Weekday()]
	return dom && dow || p.either && (dom || dow)
}

// expected lists all ticks in (from, to], from the local times themselves: each of them is looked at
// without a zone, and then put where it belongs.
func expected(expression string, z *time.Location, from, to time.Time) (all []int64) {
	const day = 24 * time.Hour
	p := readPlain(expression)
	hourly := !slices.Contains(p.hour[:24], false)
	ticks := map[int64]bool{}
	for l := from.UTC().Add(-2 * day).Truncate(time.Minute); l.Before(to.Add(2 * day)); l = l.Add(time.Second) {
		if !p.holds(l) {
			continue
		}
		var at []time.Time // when a clock of the zone shows it
		for _, near := range []time.Duration{-2 * day, 2 * day} {
			o := offsetOf(l.Add(near).In(z))
			if m := l.Add(-o).In(z); offsetOf(m) == o {
				at = append(at, m)
			}
		}
		if len(at) == 0 {
			at = []time.Time{l.Add(-offsetOf(l.Add(-2 * day).In(z)))}
		}
		slices.SortFunc(at, time.Time.Compare)
		if !hourly {
			at = at[:1]
		}
		for _, m := range at {
			if m.After(from) && !m.After(to) {
				ticks[m.Unix()] = true
			}
		}
	}
	for m := range ticks {
		all = append(all, m)
	}
	slices.Sort(all)
	return all
}

// Ticks are those that a plain search through all local times finds, around each change of the
// clock.
func TestNextAgainstSearch(t *testing.T) {
	expressions := []string{
		"0 30 2 * * *", "0 0 * * * *", "0 */7 * * * *", "0 */20 1-3 * * *", "0 0 0 * * *", "0 59 23 * * 0",
		"15,45 */10 2,3 * * *",
		"0 0 */2 * * *", "0 15 0-23 * * 6,7", "0 5 1 */2 * 1", "0 5 1 3-9 * 0", "*/30 0,59 * * * *", "0 0 3 29 2 *",
		"0 10 2 */2 * *",
	}
	for _, name := range zones {
		z := zone(t, name)
		years := []int{2026, 2028}
		if testing.Short() {
			years = years[:1]
		}
		for _, year := range years {
			at := time.Date(year, 1, 1, 0, 0, 0, 0, z)
			for {
				_, end := at.ZoneBounds()
				if end.IsZero() || end.Year() > year {
					break
				}
				at = end
				for _, e := range expressions {
					compareTicks(t, e, z, at.Add(-26*time.Hour), at.Add(26*time.Hour))
				}
			}
		}
		compareTicks(t, "0 0 12 29 2 *", z, time.Date(2028, 2, 28, 0, 0, 0, 0, z), time.Date(2028, 3, 2, 0, 0, 0, 0, z))
	}
}

func compareTicks(t *testing.T, expression string, z *time.Location, from, to time.Time) {
	t.Helper()
	k := must.Get(NewCalendar(expression, z))
	var got []int64
	for at := k.Next(from); !at.IsZero() && !at.After(to); at = k.Next(at) {
		got = append(got, at.Unix())
	}
	if want := expected(expression, z, from, to); !slices.Equal(got, want) {
		t.Fatalf("%s in %s from %s: %d ticks, want %d\n%v\n%v", expression, z, from, len(got), len(want), got, want)
	}
}

// A tick is found from any moment before it, also from within a second.
func TestNextFromAnywhere(t *testing.T) {
	k := must.Get(NewCalendar("*/10 1-3 * * *", zone(t, "Europe/Berlin")))
	from := time.Date(2026, 3, 28, 23, 0, 0, 0, time.UTC)
	want := k.Next(from)
	for at := from; at.Before(from.Add(5 * time.Hour)); at = at.Add(500 * time.Millisecond) {
		if !at.Before(want) {
			want = k.Next(want)
		}
		if got := k.Next(at); !got.Equal(want) || !got.After(at) {
			t.Fatalf("after %s: %s, want %s", at, got, want)
		}
	}
}

func TestExpressions(t *testing.T) {
	for _, good := range []string{"* * * * *", "*/5 * * * * *", "@hourly", "@daily", "@weekly", "@monthly", "@yearly",
		"0 9 * * mon-fri", "0 9 * * Sun-5", "0 0 * Jan-mar,6-7 *", "0 0 * * 6-7", "5/10 * * * *", "0 0 L * *",
		"0 0 29 2 *", " 0 0 1 1 * "} {
		if _, err := NewCalendar(good, time.UTC); err != nil {
			t.Errorf("%q: %v", good, err)
		}
	}
	for _, bad := range []string{"", " ", "* * * *", "* * * * * * *", "60 * * * *", "* 24 * * *", "0 0 0 * *",
		"0 0 31 2 *", "0 0 30,31 2 *", "TZ=UTC * * * * *",
		"CRON_TZ=UTC 0 0 * * *", "@every 5s", "@reboot", "*/0 * * * *", "a * * * *", "H * * * *", "5-1/0 * * * *",
		"* * * foo *", "5-1 * * * *", "0 22-2 * * *", "0 0 * * fri-mon", "0 0 * dec-2 *", "1,,2 * * * *", ",1 * * * *",
		"1, * * * *",
		"+1 * * * *", "1-+5 * * * *", "*/+5 * * * *", "*-5 * * * *", "1-5-9 * * * *", "TZ=", "*/5*", "-1 * * * *",
		strings.Repeat("1,", 5000) + "1 * * * *"} {
		if k, err := NewCalendar(bad, time.UTC); err == nil {
			t.Errorf("%q is taken, and ticks next at %s", bad, k.Next(time.Now()))
		}
	}
}
