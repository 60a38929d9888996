package schedule

import (
	"slices"
	"testing"
	"time"

	"beanfield/storage/must"
)

// TK3, TK4: what is put after a time without the server, with refusals, and after jumps of the clock. Ticks
// come each minute; times are minutes and seconds.
func TestDue(t *testing.T) {
	const refused = true
	type look struct {
		at      int64
		put     []int64
		lost    int
		refused bool // what is put is refused
	}
	at := func(m, s int64) int64 { return 60*m + s }
	one := func(m int64) []int64 { return []int64{60 * m} }
	for name, c := range map[string]struct {
		missed     Missed
		last, from int64
		looks      []look
	}{
		"in time": {Skip, at(10, 30), at(10, 30), []look{{at: at(10, 59)}, {at: at(11, 0), put: one(11)},
			{at: at(11, 30)}, {at: at(12, 1), put: one(12)}}},
		"down, skip": {Skip, at(10, 0), at(13, 5), []look{{at: at(13, 5), lost: 3},
			{at: at(14, 0), put: one(14)}}},
		"down, once": {Once, at(10, 0), at(13, 5), []look{{at: at(13, 5), put: one(13), lost: 2},
			{at: at(14, 0), put: one(14)}}},
		"down, all": {All, at(10, 0), at(12, 5), []look{{at: at(12, 5), put: []int64{at(11, 0), at(12, 0)}},
			{at: at(13, 0), put: one(13)}}},
		"down for no tick": {Once, at(10, 0), at(10, 59), []look{{at: at(10, 59)}, {at: at(11, 0), put: one(11)}}},
		"down at the tick": {Skip, at(10, 0), 660, []look{{at: 660, lost: 1}, {at: 720, put: one(12)}}},
		"refused, skip": {Skip, at(10, 1), at(10, 1), []look{{at: at(11, 0), put: one(11), refused: refused},
			{at: at(11, 59), put: one(11), refused: refused},
			{at: at(12, 0), put: one(12), lost: 1, refused: refused}, {at: at(12, 1), put: one(12)}}},
		"refused, once": {Once, at(10, 1), at(10, 1), []look{{at: at(11, 0), put: one(11), refused: refused},
			{at: at(12, 0), put: []int64{at(11, 0), at(12, 0)}, refused: refused},
			{at: at(13, 0), put: []int64{at(12, 0), at(13, 0)}, lost: 1}}},
		"refused, all": {All, at(10, 1), at(10, 1), []look{{at: at(11, 0), put: one(11), refused: refused},
			{at: at(12, 0), put: []int64{at(11, 0), at(12, 0)}}}},
		"held up": {Skip, at(10, 1), at(10, 1), []look{{at: at(10, 50)},
			{at: at(12, 10), put: []int64{at(11, 0), at(12, 0)}}}},
		"asleep": {Skip, at(10, 1), at(10, 1), []look{{at: at(10, 50)}, {at: at(15, 0), lost: 5},
			{at: at(16, 0), put: one(16)}}},
		"set back": {All, at(10, 1), at(10, 1), []look{{at: at(11, 0), put: one(11)}, {at: at(9, 0)},
			{at: at(11, 30)}, {at: at(12, 0), put: one(12)}}},
		"before a tick": {Skip, at(10, 1), at(10, 1), []look{
			{at: at(11, 0), put: one(11), refused: refused}, {at: at(10, 30)}, {at: at(11, 0), put: one(11)}}},
	} {
		k := course{calendar: must.Get(NewCalendar("* * * * *", time.UTC)), missed: c.missed}
		k.begin(c.last, c.from)
		for _, l := range c.looks {
			put, lost := k.due(l.at)
			if !slices.Equal(put, l.put) || lost != l.lost {
				t.Errorf("%s: at %d:%d put %v, lost %d, want %v, %d", name, l.at/60, l.at%60, put, lost, l.put, l.lost)
			}
			for _, p := range put {
				if !l.refused {
					k.done(p)
				}
			}
			if next := k.upcoming(l.at); next <= max(l.at, k.last) {
				t.Errorf("%s: at %d:%d the next one is said to come at %d:%d", name, l.at/60, l.at%60, next/60, next%60)
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
