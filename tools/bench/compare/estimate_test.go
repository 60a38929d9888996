package compare

import (
	"testing"
	"time"

	"beanfield/storage/must"
	"beanfield/tools/bench/measure"
)

// usual is what compare does without flags, besides the choice of rows.
func usual(t *testing.T, list string) *comparer {
	t.Helper()
	chosen := must.Get(chooseRows(list))
	return &comparer{
		peers: standardPeers("f", "d", true), rows: chosen, rounds: 3, repeats: 2,
		warmup: 300 * time.Millisecond, duration: 2 * time.Second, settle: measure.Settle,
	}
}

// Everything must fit into a long coffee break: a set that takes hours is never run.
func TestAllRowsFitIntoABreak(t *testing.T) {
	for list, most := range map[string]time.Duration{firstSet: 2 * time.Minute, "all": 29 * time.Minute} {
		if got := usual(t, list).estimate(); got > most {
			t.Errorf("%s takes %v, more than %v", list, got, most)
		}
	}
}

func TestEstimateCountsWhatTakesTime(t *testing.T) {
	// Two servers of plain cycles and the echo server, three rounds.
	if got, want := usual(t, "plain").estimate(), 9*(takesStart+2300*time.Millisecond); got != want {
		t.Errorf("plain: %v, want %v", got, want)
	}
	// The baseline once more, to find the rate.
	if got, want := usual(t, "half").estimate(), 10*(takesStart+2300*time.Millisecond); got != want {
		t.Errorf("half: %v, want %v", got, want)
	}
	// Beanfield alone, twice, with jobs and without.
	got := usual(t, "resident").estimate()
	if want := 2 * (2*(takesStart+2300*time.Millisecond) + 17*time.Second); got != want {
		t.Errorf("resident: %v, want %v", got, want)
	}
	whole := usual(t, "recovery")
	small := *whole
	small.scale = 0.001
	if a, b := whole.estimate(), small.estimate(); a < time.Minute || b > 10*time.Second || b < 4*measure.Settle {
		t.Errorf("recovery takes %v, a thousandth of it %v", a, b)
	}
}
