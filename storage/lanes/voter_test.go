package lanes

import (
	"testing"
	"time"
)

// What a voter is told and asked at a time.
type (
	life  [2]uint64 // epoch and life
	asked struct {
		at, epoch   time.Duration
		ended       uint64
		shown       life
		want, after time.Duration
	}
)

// P10 to P12: what one voter answers, and how long ago it says it has answered an older epoch that
// has not ended.
func TestWhatAVoterAnswers(t *testing.T) {
	const refused, silent = -1, -2 // silent until it has kept the epoch
	for name, c := range map[string]struct {
		voter *Voter
		beats []asked
	}{
		"each newer epoch is told of the one before": {NewVoter(0, 10), []asked{
			{at: 20, epoch: 1, want: silent, after: 10}, {at: 30, epoch: 1, want: 20},
			{at: 40, epoch: 2, want: silent, after: 10}, {at: 41, epoch: 1, want: refused},
			{at: 45, epoch: 3, want: silent, after: 5}}},
		"one that has ended does not count": {NewVoter(1, 10), []asked{{at: 20, epoch: 1, want: 10},
			{at: 30, epoch: 2, ended: 1, want: silent, after: 20}}},
		"nor if that is heard late, and twice": {NewVoter(1, 10), []asked{{at: 20, epoch: 1, want: 10},
			{at: 30, epoch: 2, want: silent, after: 10}, {at: 40, epoch: 2, ended: 1, want: 30},
			{at: 50, epoch: 2, ended: 1, want: 40}}},
		"the one before it does": {NewVoter(1, 10), []asked{{at: 20, epoch: 1, want: 10},
			{at: 30, epoch: 2, want: silent, after: 10}, {at: 40, epoch: 3, ended: 2, want: silent, after: 20}}},
		"another's end changes nothing": {NewVoter(2, 10), []asked{{at: 20, epoch: 2, want: 10},
			{at: 30, epoch: 4, ended: 1, want: silent, after: 10}, {at: 40, epoch: 4, ended: 3, want: 20}}},
		"an end counts for that epoch only": {NewVoter(1, 10), []asked{{at: 20, epoch: 1, ended: 1, want: 10},
			{at: 30, epoch: 2, want: silent, after: 20}, {at: 40, epoch: 2, want: 30},
			{at: 50, epoch: 3, want: silent, after: 10}}},
		"no end": {NewVoter(0, 10), []asked{{at: 20, epoch: 1, want: silent, after: 10},
			{at: 40, epoch: 2, want: silent, after: 20}}},
		"a blank one answers nobody": {NewBlank(7, 10), []asked{{at: 20, epoch: 1, want: refused},
			{at: 30, epoch: 9, want: refused}}},
		"nor who shows another life": {NewBlank(7, 10), []asked{{at: 20, epoch: 1, shown: life{1, 6}, want: refused},
			{at: 20, epoch: 1, shown: life{1, 0}, want: refused}}},
		"it answers whoever shows its life": {NewBlank(7, 10), []asked{
			{at: 20, epoch: 3, shown: life{3, 7}, want: silent, after: 10},
			{at: 30, epoch: 2, want: refused}}},
		"and nobody older than who showed it": {NewBlank(7, 10), []asked{
			{at: 20, epoch: 2, shown: life{3, 7}, want: refused},
			{at: 30, epoch: 3, want: silent, after: 20}}},
		"one that is not blank is shown nothing": {NewVoter(5, 10), []asked{
			{at: 20, epoch: 5, shown: life{8, 7}, want: 10},
			{at: 20, epoch: 6, shown: life{9, 0}, want: silent, after: 0}}},
		"one that was blank is shown its life no more": {NewBlank(7, 10), []asked{
			{at: 20, epoch: 5, shown: life{5, 7}, want: silent, after: 10},
			{at: 20, epoch: 4, shown: life{4, 7}, want: refused}}},
	} {
		for i, b := range c.beats {
			c.voter.Ended(b.ended)
			c.voter.Shown(b.shown[0], b.shown[1])
			since, keep, ok := c.voter.Beat(b.at, uint64(b.epoch))
			if keep != (b.want == silent) || ok != (b.want >= 0) || ok && since != b.want {
				t.Errorf("%s, beat %d: %v, to be kept %v, answered %v, want %v", name, i, since, keep, ok, b.want)
			}
			if keep {
				c.voter.Kept(uint64(b.epoch))
				since, _, ok = c.voter.Beat(b.at, uint64(b.epoch))
			}
			if keep && (!ok || since != b.after) {
				t.Errorf("%s, beat %d, when it is kept: %v, answered %v, want %v", name, i, since, ok, b.after)
			}
		}
	}
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
