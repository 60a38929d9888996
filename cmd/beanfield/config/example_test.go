package config

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"beanfield/storage/must"
)

const exampleFile = "../../../config.example.toml"

// The example, unchanged, is the default configuration.
func TestExampleEqualsDefaults(t *testing.T) {
	c := defaults()
	if ms := readConfigFile(exampleFile, c); len(ms) > 0 {
		t.Fatal(ms)
	}
	if len(c.From) != len(settings) {
		t.Errorf("the example sets %d keys outside of [[listen]], the code knows %d", len(c.From), len(settings))
	}
	forgetOrigins(c)
	if want := defaults(); !reflect.DeepEqual(c, want) {
		t.Errorf("the example is %+v, the defaults are %+v", c, want)
	}
}

// inComments is what the example shows in comments, from a heading to an empty line.
func inComments(t *testing.T, heading string) *Config {
	t.Helper()
	text := string(must.Get(os.ReadFile(exampleFile)))
	shown, _, _ := strings.Cut(text[strings.Index(text, "# "+heading):], "\n\n")
	return must.Get(Load(Flags{File: writeConfig(t, strings.ReplaceAll(shown, "# ", ""))}))
}

// The address that the example shows in comments is valid too.
func TestExampleSecondAddress(t *testing.T) {
	c := inComments(t, "[[listen]]")
	if len(c.Listen) != 1 || c.Listen[0].Address.Path != "/run/beanfield/beanfield.sock" || c.Listen[0].Mode != 0o660 {
		t.Errorf("read %+v", c.Listen)
	}
}

// The limits for some queues that the example shows in comments are valid too.
func TestExampleQueueFor(t *testing.T) {
	want := defaults().Queue.Limits
	want.MaxLength, want.DeadLetter = 10000, "bury"
	if c := inComments(t, "[[queue.for]]"); !reflect.DeepEqual(c.Queue.For, []QueueFor{{"orders*", want}}) {
		t.Errorf("read %+v", c.Queue.For)
	}
}

// Every key is explained: first its reason in prose, then unit, default, flag and whether
// it changes at a reload, then what is allowed, then the key itself. All of it agrees with the code.
func TestExampleExplainsEveryKey(t *testing.T) {
	text := must.Get(os.ReadFile(exampleFile))
	entries := exampleEntries(string(text))
	d := defaults()
	for _, s := range settings {
		checkEntry(t, entries, s, s.show(d))
	}
	for _, s := range listenSettings {
		checkEntry(t, entries, s, s.show(&d.Listen[0]))
	}
	if n := len(settings) + len(listenSettings); len(entries) != n {
		t.Errorf("%d keys in the example, %d in the code", len(entries), n)
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

func checkEntry[T any](t *testing.T, entries map[string]entry, s setting[T], value string) {
	t.Helper()
	key, flag, reload := s.key, s.flag, "no"
	e, ok := entries[key]
	if !ok {
		t.Errorf("%s is not in the example", key)
		return
	}
	n := len(e.comment)
	if n < 3 || len(e.comment[0]) < 20 {
		t.Errorf("%s: no reason given", key)
		return
	}
	if flag == "" {
		flag = "none"
	}
	if s.reloads != nil {
		reload = "yes"
	}
	facts := e.comment[n-2]
	if !strings.HasPrefix(facts, "Unit: "+s.unit+". Default: "+value) || !strings.HasSuffix(facts, ". Flag: "+flag+". Reload: "+reload+".") {
		t.Errorf("%s: %q does not say unit %q, default %s, flag %s, reload %s", key, facts, s.unit, value, flag, reload)
	}
	if e.comment[n-1] != "Allowed: "+s.allowed {
		t.Errorf("%s: the example says %q, the code allows %s", key, e.comment[n-1], s.allowed)
	}
	if e.value != value {
		t.Errorf("%s = %s, the default is %s", key, e.value, value)
	}
}
