package main

import (
	"errors"
	"fmt"
	"testing"
	"time"
)

// Only lateness of the reference is the machine's: whatever else is not on time is a difference.
func TestLateReference(t *testing.T) {
	const second, late = time.Second, time.Second + 2*lateness
	for _, c := range []struct {
		ref, sub      time.Duration
		same, starved bool
	}{
		{second, second + lateness, true, false}, {late, second, false, true}, {late, late, false, true},
		{second, late, false, false}, {second, second / 2, false, false}, {second / 2, second, false, false},
	} {
		var sent time.Time
		ref, sub := arrival{at: sent.Add(c.ref)}, arrival{at: sent.Add(c.sub)}
		err := new(play).onTime(instruction{after: second}, ref, sub)
		if (err == nil) != c.same || errors.As(err, new(starved)) != c.starved {
			t.Errorf("%v and %v: %v", c.ref, c.sub, err)
		}
	}
}

// What has found only a starved machine is done again, three times at most; what has found anything else, or nothing,
// is not.
func TestDoneAgain(t *testing.T) {
	late, other := fmt.Errorf("at x: %w", starved{errors.New("late")}), errors.New("other")
	for times, all := range map[int][][][]error{
		1: {{nil}, {{nil}}, {{other}}, {{late, other}}},
		2: {{{late}, nil}, {{late, late}, {other}}},
		4: {{{late}, {late}, {late}, {late}}},
	} {
		for _, found := range all {
			done := 0
			fair("this", func() []error { done++; return found[done-1] })
			if done != times {
				t.Errorf("%v: %d times", found, done)
			}
		}
	}
}
