package load

import (
	"math"
	"testing"
)

func TestLoadsThatCannotRun(t *testing.T) {
	beside := func(change func(*Load)) func(*Load) {
		return func(ld *Load) {
			ld.Kind, ld.Backlog = KindNeighbour, 200
			change(ld)
		}
	}
	for name, change := range map[string]func(*Load){
		"kind":       func(ld *Load) { ld.Kind = "nap" },
		"no workers": func(ld *Load) { ld.Kind, ld.Producers = KindApart, ld.Connections },
		"tubes":      func(ld *Load) { ld.Kind, ld.Tubes = KindApart, 30 },
		"small body": func(ld *Load) { ld.Kind, ld.Body = KindWake, BodySize{4, 4} },
		"keyed":      func(ld *Load) { ld.Keyed = true },
		"depth":      func(ld *Load) { ld.Depth = 0 },
		"backlog":    func(ld *Load) { ld.BacklogIn = "nowhere" },
		"memory":     func(ld *Load) { ld.Kind = KindMemory },
		"push":       func(ld *Load) { ld.Kind, ld.Producers = KindPush, ld.Connections },
		"window":     func(ld *Load) { ld.Kind, ld.Window, ld.Commit = KindPush, 10, 11 },
		"whole":      func(ld *Load) { ld.Kind, ld.Whole = KindHop, true },
		"whole rate": func(ld *Load) { ld.Whole, ld.Rate = true, 1 },
		"kill":       func(ld *Load) { ld.Kill = true },
		"no commit":  func(ld *Load) { ld.Kind, ld.Window = KindPush, 10 },

		"unknown": beside(func(ld *Load) { ld.Disturb.By = "rain" }),
		"too large": beside(func(ld *Load) {
			ld.Disturb.Large, ld.Disturb.By = 1<<30+1, DisturbBody
		}),
		"never":                         beside(func(ld *Load) { ld.Disturb.Again = 0 }),
		"no peace":                      beside(func(ld *Load) { ld.Disturb.Peace = 0 }),
		"sizes of a disturbance's jobs": beside(func(ld *Load) { ld.Body = BodySize{1, 2} }),
		"few jobs":                      beside(func(ld *Load) { ld.Disturb.By, ld.Connections = DisturbPause, 201 }),
		"no memory":                     beside(func(ld *Load) { ld.Backlog = math.MaxInt32 * 100 }),
		"no connections":                beside(func(ld *Load) { ld.Connections = 0 }),
	} {
		ld := Default()
		change(&ld)
		if ld.Check() == nil {
			t.Errorf("%s: %+v passed", name, ld)
		}
	}
	plain := Default()
	if err := plain.Check(); err != nil || plain.Disturb != (Disturb{}) {
		t.Errorf("%v, %+v", err, plain.Disturb)
	}
}
