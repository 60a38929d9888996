package config

import (
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"beanfield/router/schedule"
	"beanfield/shard/queue/policy"
	"beanfield/storage/must"
)

const exampleFile = "../../../config.example.toml"

// The example, unchanged, is the default configuration.
func TestExampleEqualsDefaults(t *testing.T) {
	c := defaults()
	if ms := readConfigFile(exampleFile, c); len(ms) > 0 {
		t.Fatal(ms)
	}
	if len(c.From) != len(c.rows()) {
		t.Errorf("the example sets %d keys outside of [[listen]], the code knows %d", len(c.From), len(c.rows()))
	}
	forgetOrigins(c)
	if want := defaults(); !reflect.DeepEqual(c, want) {
		t.Errorf("the example is %+v, the defaults are %+v", c, want)
	}
}

// inComments is what the example shows in comments, from a heading to an empty line.
func inComments(t *testing.T, heading string) (*Config, map[string]entry) {
	t.Helper()
	text := string(must.Get(os.ReadFile(exampleFile)))
	shown, _, _ := strings.Cut(text[strings.Index(text, "# "+heading):], "\n\n")
	shown = strings.TrimPrefix(strings.ReplaceAll("\n"+shown, "\n# ", "\n"), "\n")
	return must.Get(Load(Flags{File: writeConfig(t, shown)})), exampleEntries(shown)
}

// What the example shows in comments is valid too, and means what it says.
func TestExampleInComments(t *testing.T) {
	c, _ := inComments(t, "[[listen]]")
	if len(c.Listen) != 1 || c.Listen[0].Address.Path != "/run/beanfield/beanfield.sock" || c.Listen[0].Mode != 0o660 {
		t.Errorf("read %+v", c.Listen)
	}
	limits := defaults().Queue.Limits
	limits.MaxLength, limits.DeadLetter = 10000, policy.FateBury
	if c, _ := inComments(t, "[[queue.for]]"); !reflect.DeepEqual(c.Queue.For, []QueueFor{{"orders*", limits}}) {
		t.Errorf("read %+v", c.Queue.For)
	}
	if c, _ := inComments(t, "[cluster]"); len(c.Cluster.Nodes) != 3 || c.Cluster.Node != "a" {
		t.Errorf("read %+v", c.Cluster)
	}
	if c, _ := inComments(t, "[[tube]]"); len(c.Tubes) != 1 || c.Tubes[0].Match != "mail*" {
		t.Errorf("read %+v", c.Tubes)
	}
	c, _ = inComments(t, "[[schedule]]")
	s := schedules(c.Schedules, "file")[0]
	if s.Rule.Calendar = nil; !reflect.DeepEqual(s, schedule.Schedule{Name: "nightly-report",
		Rule: schedule.Rule{Cron: "30 2 * * *", Zone: "Europe/Berlin"},
		Tube: "reports", Body: []byte("nightly"), Pri: 1024, TTR: 60, Missed: schedule.Once, From: "file"}) {
		t.Errorf("read %+v", s)
	}
}

// Every key is explained: first its reason in prose, then unit, default, flag and whether
// it changes at a reload, then what is allowed, then the key itself. All of it agrees with the code.
func TestExampleExplainsEveryKey(t *testing.T) {
	entries := exampleEntries(string(must.Get(os.ReadFile(exampleFile))))
	d := defaults()
	rows := slices.Concat(d.rows(), rowsOf(listenKey, &d.Listen[0]))
	for _, s := range rows {
		checkEntry(t, entries, s, s.show())
		if e := entries[s.key]; e.value != s.show() {
			t.Errorf("%s = %s, the default is %s", s.key, e.value, s.show())
		}
	}
	if len(entries) != len(rows) {
		t.Errorf("%d keys in the example, %d in the code", len(entries), len(rows))
	}
	tube, put := fresh[TubeRule](tubeKey), fresh[ScheduleRule](scheduleKey)
	for heading, rows := range map[string][]setting{"[[tube]]": rowsOf(tubeKey, &tube),
		"[[schedule]]": rowsOf(scheduleKey, &put)} {
		_, entries := inComments(t, heading)
		for _, s := range rows {
			value := s.show()
			if s.needed {
				value = "none, it is needed"
			}
			checkEntry(t, entries, s, value)
		}
	}
}

// entry is a key of the example with the comment above it.
type entry struct {
	value   string
	comment []string
}

func exampleEntries(text string) map[string]entry {
	entries := map[string]entry{}
	table := ""
	var comment []string
	for _, line := range strings.Split(text, "\n") {
		switch {
		case strings.HasPrefix(line, "#"):
			comment = append(comment, strings.TrimPrefix(line, "# "))
			continue
		case strings.HasPrefix(line, "["):
			table = strings.Trim(line, "[]") + "."
		case line != "":
			key, value, _ := strings.Cut(line, " = ")
			entries[table+key] = entry{value, comment}
		}
		comment = nil
	}
	return entries
}

func checkEntry(t *testing.T, entries map[string]entry, s setting, value string) {
	t.Helper()
	e, n := entries[s.key], len(entries[s.key].comment)
	if n < 3 || len(e.comment[0]) < 12 {
		t.Errorf("%s: no reason given", s.key)
		return
	}
	facts, reload := e.comment[n-2], map[bool]string{false: "no", true: "yes"}[s.live]
	if !strings.HasPrefix(facts, "Unit: "+s.unit+". Default: "+value) || !strings.HasSuffix(facts, ". Reload: "+reload+
		".") ||
		s.flag != "" && !strings.Contains(facts, ". Flag: "+s.flag+". ") {
		t.Errorf("%s: %q does not say unit %q, default %s, flag %s, reload %s", s.key, facts, s.unit, value, s.flag,
			reload)
	}
	if e.comment[n-1] != "Allowed: "+s.allowed {
		t.Errorf("%s: the example says %q, the code allows %s", s.key, e.comment[n-1], s.allowed)
	}
}
