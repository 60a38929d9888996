package beanstalk

import (
	"regexp"
	"strings"
	"testing"
)

// What people are told of a command is what its row says, and what the parser takes: each number may be what it may be
// at most, and no more, and so may each option. Of the answers none is left out.
func TestHelp(t *testing.T) {
	for _, v := range verbs {
		c := &commands[v]
		text, ok := Help(c.name)
		if !ok || !strings.HasSuffix(c.about, ".") || (c.needs == 0) != strings.HasPrefix(c.right, "none") ||
			!strings.Contains(c.right, places[c.on]) && c.needs != 0 {
			t.Errorf("%s: %t, %s", c.name, ok, text)
		}
		_, said, _ := strings.Cut(text, "\nAnswers ")
		for _, w := range strings.Fields(answers[c.name]) {
			if !strings.Contains(said, " "+w) {
				t.Errorf("%s does not tell of the answer %s:\n%s", c.name, w, text)
			}
		}
		for i, a := range c.args {
			m := regexp.MustCompile(`([0-9.]+) to ([0-9.]+)`).FindStringSubmatch(a.Allowed())
			if m == nil {
				continue
			}
			for line, want := range map[string]bool{c.with(i, m[1]): true, c.with(i, m[2]): true,
				c.with(i, m[2]+"1"): false} {
				if got := grammar.Parse([]byte(line)).Word == ""; got != want {
					t.Errorf("%q is taken: %t, want %t", line, got, want)
				}
			}
		}
	}
	if _, ok := Help("nonsense"); ok {
		t.Error("a command that there is not is explained")
	}
}

// with is the line of a command in which one argument is this.
func (c *command) with(i int, text string) string {
	line := c.name
	for j, a := range c.args {
		switch {
		case j == i:
			line += " " + text
		case a.Name() != "":
			line += " 1"
		}
	}
	return line
}

// Each row says how its command is answered in one way, and is found by its name.
func TestCommands(t *testing.T) {
	for _, v := range verbs {
		c, ways := &commands[v], 0
		for _, way := range []bool{c.alone != nil, c.body != nil, c.op != 0 && c.body == nil && c.alone == nil,
			c.name == "quit"} {
			if way {
				ways++
			}
		}
		if ways != 1 || verbOf(c.name) != v || c.body != nil && c.answer == nil {
			t.Errorf("%s is answered in %d ways, and is command %d of %d", c.name, ways, verbOf(c.name), v)
		}
		if got := grammar.Parse([]byte(c.name + " x")).Verb; got != v && c.args[0] != 0 {
			t.Errorf("%q is read as command %d, want %d", c.name, got, v)
		}
	}
}
