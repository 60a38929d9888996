package lanes

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"beanfield/storage/must"
)

// P10 to P12: what one voter answers, and how long ago it says it has answered an older epoch that has not ended. It
// has promised an epoch, or is blank, since 10. A beat has a time and an epoch, and tells that one has ended, or shows
// an epoch and a life. It is refused, or answered, or must be kept: then the answer follows.
func TestWhatAVoterAnswers(t *testing.T) {
	const blank = -1
	for name, c := range map[string]struct {
		promised int
		beats    string
	}{
		"each newer epoch is told of the one before": {0,
			"20 1 is kept, 10; 30 1 is 20; 40 2 is kept, 10; 41 1 is refused; 45 3 is kept, 5"},
		"one that has ended does not count": {1, "20 1 is 10; 30 2 ended 1 is kept, 20"},
		"nor if that is heard late, and twice": {1,
			"20 1 is 10; 30 2 is kept, 10; 40 2 ended 1 is 30; 50 2 ended 1 is 40"},
		"the one before it does":         {1, "20 1 is 10; 30 2 is kept, 10; 40 3 ended 2 is kept, 20"},
		"another's end changes nothing":  {2, "20 2 is 10; 30 4 ended 1 is kept, 10; 40 4 ended 3 is 20"},
		"an end is that epoch's only":    {1, "20 1 ended 1 is 10; 30 2 is kept, 20; 40 2 is 30; 50 3 is kept, 10"},
		"no end":                         {0, "20 1 is kept, 10; 40 2 is kept, 20"},
		"a blank one answers nobody":     {blank, "20 1 is refused; 30 9 is refused"},
		"nor who shows another life":     {blank, "20 1 shown 1 6 is refused; 20 1 shown 1 0 is refused"},
		"but whoever shows its life":     {blank, "20 3 shown 3 7 is kept, 10; 30 2 is refused"},
		"nobody older than who has":      {blank, "20 2 shown 3 7 is refused; 30 3 is kept, 20"},
		"who is not blank needs no life": {5, "20 5 shown 8 7 is 10; 20 6 shown 9 0 is kept, 0"},
		"one that was is shown no more":  {blank, "20 5 shown 5 7 is kept, 10; 20 4 shown 4 7 is refused"},
	} {
		v := NewBlank(7, 10)
		if c.promised != blank {
			v = NewVoter(uint64(c.promised), 10)
		}
		for beat := range strings.SplitSeq(c.beats, "; ") {
			asked, want, _ := strings.Cut(beat, " is ")
			if got := answered(v, strings.Fields(asked)); got != want {
				t.Errorf("%s: %s is %s, want %s", name, asked, got, want)
			}
		}
	}
}

// answered is what a voter says to a beat.
func answered(v *Voter, words []string) string {
	number := func(i int) uint64 { return must.Get(strconv.ParseUint(words[i], 10, 64)) }
	at, epoch := time.Duration(number(0)), number(1)
	switch {
	case len(words) == 4:
		v.Ended(number(3))
	case len(words) == 5:
		v.Shown(number(3), number(4))
	}
	since, keep, ok := v.Beat(at, epoch)
	switch {
	case keep && !ok:
		v.Kept(epoch)
		return "kept, " + answered(v, words[:2])
	case !ok:
		return "refused"
	}
	return fmt.Sprint(int64(since))
}

// P10: an owner that is alone holds nothing; one that is answered holds its lease until a LeaseTime
// after the beat was sent, and the first one from a Rest after the voters' start. P11: one that has ended its epoch
// hands out no job more, whoever answers it.
func TestLeaseOfOneOwner(t *testing.T) {
	m, a := NewLease(1, "a", "b", "c"), NewVoter(1, 0)
	answer := func(now time.Duration, node string) {
		since, _, _ := a.Beat(now, 1)
		m.Answered(now, node, 1, now, since)
		m.Answered(now, "x", 1, now, since) // a stranger
	}
	for _, c := range []struct {
		at    time.Duration
		nodes string
		until time.Duration
	}{
		{0, "a", 0}, {1, "b", 0}, {Rest - 2, "a", 0}, {Rest - 1, "b", 0}, {Rest, "", Rest - 2 + LeaseTime},
		{Rest + LeaseTime - 3, "", Rest - 2 + LeaseTime}, {Rest + LeaseTime - 2, "", Rest - 2 + LeaseTime},
		{Rest + LeaseTime, "a", Rest - 1 + LeaseTime}, {Rest + LeaseTime, "b", Rest + 2*LeaseTime},
	} {
		if c.nodes != "" {
			answer(c.at, c.nodes)
		}
		if until := m.Until(c.at); until != c.until {
			t.Errorf("at %v it holds until %v, not %v", c.at, until, c.until)
		}
	}
	if m.End(); m.Until(Rest+LeaseTime) != 0 {
		t.Error("it holds after its end")
	}
	if answer(Rest+LeaseTime+1, "a"); m.Until(Rest+LeaseTime+1) != 0 {
		t.Error("it is answered after its end")
	}
	if _, _, ok := NewVoter(2, 0).Beat(1, 1); ok {
		t.Error("a voter answers an epoch that is older than what it has kept")
	}
}
