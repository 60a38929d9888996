package load

import (
	"testing"
)

func TestLoadsThatCannotRun(t *testing.T) {
	for name, change := range map[string]func(*Load){
		"kind":       func(ld *Load) { ld.Kind = "nap" },
		"no workers": func(ld *Load) { ld.Kind, ld.Producers = KindApart, ld.Connections },
		"tubes":      func(ld *Load) { ld.Kind, ld.Tubes = KindApart, 30 },
		"small body": func(ld *Load) { ld.Kind, ld.Body = KindWake, BodySize{4, 4} },
		"delayed":    func(ld *Load) { ld.Kind = KindDelayed },
		"depth":      func(ld *Load) { ld.Depth = 0 },
		"backlog":    func(ld *Load) { ld.BacklogIn = "nowhere" },
		"memory":     func(ld *Load) { ld.Kind = KindMemory },
		"push":       func(ld *Load) { ld.Kind, ld.Producers = KindPush, ld.Connections },
		"window":     func(ld *Load) { ld.Kind, ld.Window, ld.Commit = KindPush, 10, 11 },
		"whole":      func(ld *Load) { ld.Kind, ld.Whole = KindPoll, true },
		"whole rate": func(ld *Load) { ld.Whole, ld.Rate = true, 1 },
		"kill":       func(ld *Load) { ld.Kill = true },
		"no commit":  func(ld *Load) { ld.Kind, ld.Window = KindPush, 10 },
	} {
		ld := Default()
		change(&ld)
		if ld.Check() == nil {
			t.Errorf("%s: %+v passed", name, ld)
		}
	}
}
