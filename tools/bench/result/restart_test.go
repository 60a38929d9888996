package result

import (
	"testing"
)

func TestSteadyMemoryIsTheLesser(t *testing.T) {
	for _, u := range []Restart{
		{LoadedRSS: 100, RecoveredRSS: 120, RecoveredPeak: 150},
		{LoadedRSS: 120, RecoveredRSS: 100, RecoveredPeak: 150},
	} {
		if u.Peak() != 1.5 {
			t.Errorf("%+v: %v", u, u.Peak())
		}
	}
}
