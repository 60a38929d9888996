package main

import (
	"strings"
	"testing"
)

func TestTableIsSound(t *testing.T) {
	names := map[string]bool{}
	lines, reasons := 0, 0
	for _, c := range table() {
		if names[c.name] {
			t.Errorf("two cases are called %s", c.name)
		}
		names[c.name] = true
		if len(c.lines) == 0 && c.script == "" {
			t.Errorf("%s compares nothing", c.name)
		}
		for _, script := range []string{c.before, c.script} {
			all, err := parseScript(script)
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
			for _, in := range all {
				if in.reads() {
					lines++
				}
				if in.differs != "" {
					reasons++
				}
			}
		}
		for _, l := range c.lines {
			lines++
			if l.differs != "" {
				reasons++
			}
			if l.differs == "" && l.want != "" {
				t.Errorf("%s: %q wants something without a reason", c.name, l.text)
			}
		}
	}
	if lines < 5000 || reasons < 50 {
		t.Errorf("the table has shrunk to %d lines and %d differences", lines, reasons)
	}
}

// Every command is in the table, in lines and in scripts of several clients.
func TestTableKnowsEveryVerb(t *testing.T) {
	var inLines, inScripts strings.Builder
	for _, c := range table() {
		for _, l := range c.lines {
			inLines.WriteString(l.text)
		}
		inScripts.WriteString(c.before + c.script)
	}
	for _, v := range allVerbs {
		if !strings.Contains(inLines.String(), v) || !strings.Contains(inScripts.String(), v) {
			t.Errorf("%s is missing", v)
		}
	}
}

func TestScriptMistakes(t *testing.T) {
	for _, script := range []string{
		"a", "a foo", "A: foo", "a< x", "a< 1 after", "a< 1 after soon", "? current-waiting", "a? stats | key", "wait long",
		"differs: because\na> foo", `a: \q`, "differs: because\nwant: \\q\na: foo",
	} {
		if _, err := parseScript(script); err == nil {
			t.Errorf("%q was accepted", script)
		}
	}
}

func TestScriptForms(t *testing.T) {
	all, err := parseScript("\n# nothing\n a: put 0 0 1 1\\r\\nx\na*2: b\na< 3 after 1s\n? current-waiting 1\na-\n" +
		"differs: r\nwant: X\\r\\n\nb: y\ndrain\nwait 5ms\na!")
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 9 || all[0].text != "put 0 0 1 1\r\nx" || all[1].replies != 2 || all[2].after.Seconds() != 1 ||
		all[3].conn != control || all[3].key != "current-waiting" || all[5].want != "X\r\n" || all[5].differs != "r" {
		t.Errorf("parsed as %+v", all)
	}
}
