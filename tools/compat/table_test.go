package main

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"beanfield/storage/must"
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
	if lines < 12000 || reasons < 69 {
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

var allVerbs = []string{
	"put", "peek", "peek-ready", "peek-delayed", "peek-buried", "reserve", "reserve-with-timeout", "reserve-job",
	"delete", "release", "bury", "kick", "kick-job", "touch", "stats", "stats-job", "stats-tube", "use", "watch",
	"ignore", "list-tubes", "list-tube-used", "list-tubes-watched", "quit", "pause-tube",
}

func TestScriptMistakes(t *testing.T) {
	for _, script := range []string{
		"a", "a foo", "A: foo", "a< x", "a< 1 after", "a< 1 after soon", "? current-waiting", "a? stats | key",
		"wait long",
		"differs: because\na> foo", `a: \q`, "differs: because\nwant: \\q\na: foo",
		"differs: because\na: foo; bar", `a: foo; \q`,
	} {
		if _, err := parseScript(script); err == nil {
			t.Errorf("%q was accepted", script)
		}
	}
}

func TestScriptForms(t *testing.T) {
	all := must.Get(parseScript("\n# nothing\n a: put 0 0 1 1\\r\\nx\na*2: b\na< 3 after 1s\n? current-waiting 1\na-\n" +
		"differs: r\nwant: X\\r\\n\nb: y\ndrain\nwait 5ms\na!"))
	if len(all) != 9 || all[0].text != "put 0 0 1 1\r\nx" || all[1].replies != 2 || all[2].after.Seconds() != 1 ||
		all[3].conn != control || all[3].key != "current-waiting" || all[5].want != "X\r\n" || all[5].differs != "r" {
		t.Errorf("parsed as %+v", all)
	}
}

func TestSeveralCommandsInALine(t *testing.T) {
	all, err := parseScript("a: use t; put 0 0 1 1\\r\\nx; \na> b; c\na+ use: d; e")
	var texts []string
	for _, in := range all {
		texts = append(texts, in.conn+in.op+in.text)
	}
	want := []string{"a:use t", "a:put 0 0 1 1\r\nx", "a:", "a>b; c", "a+use: d; e"}
	if err != nil || !slices.Equal(texts, want) {
		t.Errorf("%q, %v", texts, err)
	}
}

func TestCaseFiles(t *testing.T) {
	all := must.Get(parseCases("# nothing\n@ n \"1\" \"{x*3}\"\n@ n \"\"\n=== a\n! max=5\nbefore a: {n}; b\n| " +
		"\"{n}\\r\\n\" \" {after}\"\n" +
		"differs: r\nwant: X\\r\\n\n| \"a\" \"b\"\n\n| \"c\"\n=== b\nbefore as a\na: {n}\ndiffers: r\nwant: Y\na: {x*3}\na: c\n"))
	want := []oddCase{
		{name: "a", maxJob: 5, before: "a: 1; b\na: xxx; b\na: ; b\n", lines: []line{{text: "1\r\n"}, {text: "xxx\r\n"},
			{text: "\r\n"},
			{text: " list-tube-used\r\n"}, {"a", "r", "X\r\n"}, {"b", "r", "X\r\n"}, {text: "c"}}},
		{name: "b", before: "a: 1; b\na: xxx; b\na: ; b\n",
			script: "a: 1\na: xxx\na: \ndiffers: r\nwant: Y\na: xxx\na: c\n"},
	}
	if !reflect.DeepEqual(all, want) {
		t.Errorf("read as\n%+v, want\n%+v", all, want)
	}
	for _, mistake := range []string{"a: early", "=== a\n| unquoted", "=== a\n| \"{none}\"", "=== a\nbefore as none",
		"=== a\n! min=1", "=== a\n| \"\\q\""} {
		if _, err := parseCases(mistake); err == nil {
			t.Errorf("%q was accepted", mistake)
		}
	}
}
