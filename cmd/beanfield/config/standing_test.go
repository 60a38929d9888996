package config

import (
	"fmt"
	"strings"
	"testing"
)

// What a build does not understand in policies that another one has kept is left out, and told.
func TestKeptPoliciesOfAnotherBuild(t *testing.T) {
	const text = `
colour = "red"
[[tube]]
match = "a"
max_jobs = 3
flavour = "sweet"
[[tube]]
match = "b"
max_jobs = "many"
full = "oldest"
[[tube]]
max_jobs = 1
[[tube]]
match = "a"
max_jobs = 4
[[other]]
match = "c"
`
	set := readKeptPolicies(text)
	if got := fmt.Sprint(set.tubes[0].Match, set.tubes[0].shown(), set.tubes[1].Match, set.tubes[1].shown(), len(set.tubes), len(set.problems), set.text == text); got != "a[{max_jobs [51] }]b[] 2 6 true" {
		t.Errorf("%s\n%s", got, strings.Join(set.problems, "\n"))
	}
	if set := readKeptPolicies("[[tube"); len(set.tubes) != 0 || len(set.problems) != 1 || set.text != "[[tube" {
		t.Errorf("%+v", set)
	}
}

// A schedule of another build that is not understood in full is left out as a whole.
func TestKeptSchedulesOfAnotherBuild(t *testing.T) {
	const ok = "cron = '@daily'\ntube = 't'\n"
	set := readKeptPolicies("[[tube]]\nmatch = 'a'\nflavour = 'sweet'\n" +
		"[[schedule]]\nname = 'good'\n" + ok + "body = 'b'\n" +
		"[[schedule]]\nname = 'unknown'\n" + ok + "flavour = 'sweet'\n" +
		"[[schedule]]\nname = 'zone'\nzone = 'Mars/Olympus'\n" + ok +
		"[[schedule]]\nname = 'file'\nbody_file = '/etc/hostname'\n" + ok +
		"[[schedule]]\n" + ok + "[[schedule]]\nname = 'good'\n" + ok)
	if len(set.tubes) != 1 || len(set.schedules) != 1 || set.schedules[0].Name != "good" || string(set.schedules[0].Body) != "b" || len(set.problems) == 0 {
		t.Errorf("%+v", set)
	}
	if list := schedules(set.schedules, "x"); list[0].Rule.Calendar == nil || string(list[0].Body) != "b" || list[0].From != "x" {
		t.Errorf("%+v", list)
	}
}
