package config

import (
	"fmt"
	"strings"
	"testing"

	"beanfield/storage/must"
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
	if got := fmt.Sprint(set.tubes[0].Match, set.tubes[0].shown(), set.tubes[1].Match, set.tubes[1].shown(),
		len(set.tubes), len(set.problems), set.text == text); got != "a[{max_jobs [51] }]b[] 2 6 true" {
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
	if len(set.tubes) != 1 || len(set.schedules) != 1 || set.schedules[0].Name != "good" ||
		string(set.schedules[0].Body) != "b" || len(set.problems) == 0 {
		t.Errorf("%+v", set)
	}
	if list := schedules(set.schedules, "x"); list[0].Rule.Calendar == nil || string(list[0].Body) != "b" ||
		list[0].From != "x" {
		t.Errorf("%+v", list)
	}
}

// Texts of run time are read as strictly as the file, and may not contradict it: dead letters that come back or are
// deleted at once, and names that the file has. Each mistake has its line.
func TestTextsOfRunTime(t *testing.T) {
	const (
		dead = "[[tube]]\nmatch = '%s'\nmax_deliveries = 1\ndead_letter = '%s'\n"
		aged = "[[tube]]\nmatch = 'old'\nexpire = '%s'\nexpired = 'dead_letter'\ndead_letter = 'filed'\n"
		tube = "[[tube]]\nmatch = 'm'\n"
		tick = "[[schedule]]\nname = 'n'\ncron = '@daily'\ntube = 't'\n"
	)
	file := writeConfig(t, fmt.Sprintf(dead, "a", "b")+"[[tube]]\nmatch = 'filed'\nexpire = '1h'\n"+
		"[[tube]]\nmatch = 'sends'\nexpire = '3h'\nexpired = 'dead_letter'\ndead_letter = 'grave'\n"+
		"[[schedule]]\nname = 'filed'\ncron = '@daily'\ntube = 't'\n[limits]\nmax_job_size = 3\n")
	before := NewStanding(must.Get(Load(Flags{File: file})))
	with := func(text string) (*Standing, Mistakes) {
		set, ms := ReadPolicies(text)
		if len(ms) > 0 {
			return nil, ms
		}
		after, _, ms := before.With(set)
		return after, ms
	}
	for _, c := range []struct{ text, want string }{
		{fmt.Sprintf(dead, "x", "y") + "\n" + fmt.Sprintf(dead, "b", "a"),
			`policies:6: tube.dead_letter = "a": dead letters of tube`},
		{fmt.Sprintf(aged, "1h"), `policies:1: tube.dead_letter = "filed": its policy, in FILE:5, deletes jobs of ` +
			`that age`},
		{"[[tube]]\nmatch = 'grave'\nexpire = '2h'\n", `policies:1: tube.expire = "2h": the policy in FILE:8 sends ` +
			`jobs of that age here`},
		{"[[tube]]\nmatch = 'x'\nmax_deliveries = 1\nretry = '1s'\n",
			`policies:4: tube.retry = "1s": no job is tried again`},
		{tube + "max_job = 2\n", "policies:3: tube.max_job = 2: unknown key"},
		{tube + "burst = 2\n", "policies:3: tube.burst = 2: there is no rate"},
		{tube + tube, `policies:4: tube.match = "m": the same pattern as in line 2`},
		{"[[tube]\n", "not TOML: "},
		{"shards = 3\n", "policies:1: shards = 3: unknown key"},
		{tube + "max_jobs = 'x'\nb=1\n", "policies:4: tube.b = 1: unknown key"},
		{strings.Repeat("#", 64<<10+1), "bytes are too long"},
		{tick + "body_file = '/etc/hostname'", `policies:5: schedule.body_file = "/etc/hostname": not at run time`},
		{strings.Replace(tick, "'n'", "'filed'", 1), `policies:2: schedule.name = "filed": FILE has a schedule of ` +
			`this name, in line 14`},
		{strings.Replace(tick, "@daily", "61 * * * *", 1), "policies:3: schedule.cron"},
		{tick + "body = '1234'", `policies:5: schedule.body = "1234": larger than limits.max_job_size, 3`},
		{tick + "jitter = 1", "policies:5: schedule.jitter = 1: unknown key"},
		{tube + tick + tick, `policies:8: schedule.name = "n": the same name as in line 4`},
		{"[[schedule]]\nname = 'a'\ntube = 't'\n" + tick, "policies:1: schedule.cron: missing"},
		{strings.Replace(tick, "'t'", "'t'\nzone = 'Europe/Nowhere'", 1), "policies:5: schedule.zone"},
		{tube + "weight = 1\n" + tick + "missed = 'always'\n", "policies:8: schedule.missed"},
	} {
		if _, ms := with(c.text); !strings.Contains(strings.ReplaceAll(ms.Error(), file, "FILE"), c.want) {
			t.Errorf("%q: %v, want %q", c.text, ms, c.want)
		}
	}
	if _, ms := with(fmt.Sprintf(dead, "b", "c") + fmt.Sprintf(aged, "30m") + tick + "body = '123'"); len(ms) > 0 {
		t.Error(ms)
	}
}
