package beanstalk

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"beanfield/conn/beanstalk/protocol"
	"beanfield/storage/must"
)

// documented reads a table of commands: for each, what it needs and how it is refused.
func documented(t *testing.T, file string, row *regexp.Regexp) map[string][2]string {
	t.Helper()
	text := must.Get(os.ReadFile(file))
	found := map[string][2]string{}
	for _, m := range row.FindAllStringSubmatch(strings.ReplaceAll(string(text), "`", ""), -1) {
		for _, name := range strings.Split(m[1], ", ") {
			if _, twice := found[name]; twice {
				t.Errorf("%s has %s twice", file, name)
			}
			found[name] = [2]string{m[2], m[3]}
		}
	}
	return found
}

// The two tables in the documentation say what the table of the commands says, of all commands
// but those that exist for some clients only.
func TestDocumentedRights(t *testing.T) {
	for file, row := range map[string]*regexp.Regexp{
		"doc.go":                               regexp.MustCompile(`(?m)^//\t((?:[a-z-]+, )*[a-z-]+)  +(\S.*?)  +(\S.*)$`),
		"../../cmd/beanfield/manual/rights.md": regexp.MustCompile(`(?m)^\| ((?:[a-z-]+, )*[a-z-]+) \| (.*?) \| (.*?) ?\|$`),
	} {
		rows := documented(t, file, row)
		for _, v := range verbs {
			c := &commands[v]
			if c.login {
				continue
			}
			said, ok := rows[c.name]
			needs := c.needs.String()
			switch {
			case c.needs == anyRight:
				needs = "any right"
			case c.needs == 0:
				needs = "no" // none, nothing
				if c.about == aboutJob {
					said[0] = strings.Replace(said[0], "to hold the job", "none", 1)
				}
			}
			if !ok || !strings.HasPrefix(said[0], needs) {
				t.Errorf("%s: %s needs %q, want %q", file, c.name, said[0], needs)
			}
			if refused := strings.TrimSpace(string(c.refused)); !strings.HasPrefix(said[1], refused) || refused == "" && strings.HasPrefix(said[1], "BAD_FORMAT") {
				t.Errorf("%s: %s is refused with %q, want %q", file, c.name, said[1], refused)
			}
		}
	}
}

// Each row says how its command is answered in one way, and is found by its name.
func TestCommands(t *testing.T) {
	for _, v := range verbs {
		c, ways := &commands[v], 0
		for _, way := range []bool{c.op == 0 || c.answer != nil, c.reply != nil || c.say != nil, c.done != ""} {
			if way {
				ways++
			}
		}
		if ways != 1 || verbOf(c.name) != v {
			t.Errorf("%s is answered in %d ways, and is command %d of %d", c.name, ways, verbOf(c.name), v)
		}
		if got := grammar.Parse([]byte(c.text + "x")).Verb; got != v && c.args[0] != protocol.Apart {
			t.Errorf("%q is read as command %d, want %d", c.text, got, v)
		}
	}
}
