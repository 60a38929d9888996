package load

import (
	"math"
	"testing"
)

func TestDisturbIsChecked(t *testing.T) {
	for name, change := range map[string]func(*Load){
		"unknown":     func(ld *Load) { ld.Disturb.By = "rain" },
		"too large":   func(ld *Load) { ld.Disturb.Large, ld.Disturb.By = 1<<30+1, DisturbBody },
		"never":       func(ld *Load) { ld.Disturb.Again = 0 },
		"no peace":    func(ld *Load) { ld.Disturb.Peace = 0 },
		"sizes":       func(ld *Load) { ld.Body = BodySize{1, 2} },
		"few jobs":    func(ld *Load) { ld.Disturb.By, ld.Connections = DisturbPause, 201 },
		"no memory":   func(ld *Load) { ld.Backlog = math.MaxInt32 * 100 },
		"connections": func(ld *Load) { ld.Connections = 0 },
	} {
		ld := Default()
		ld.Kind, ld.Backlog = KindNeighbour, 200
		change(&ld)
		if ld.Check() == nil {
			t.Errorf("%s passes", name)
		}
	}
	plain := Default()
	if err := plain.Check(); err != nil || plain.Disturb != (Disturb{}) {
		t.Errorf("%v, %+v", err, plain.Disturb)
	}
}
